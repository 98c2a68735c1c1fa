# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the small exports of test/compiler/models, with data and the losses of torch.

usage: make_exports.py FOLDER [NAME…]   (in the virtual environment of compare-models)
       make_exports.py --example        writes the exports and data of examples/torch

Each model has the file that torch exports by default or without optimization, without stack traces. `golden.json` has
the losses of 4 steps with `sgd,lr=0.05` on the stored data, and of STORED_RECIPES, for the example those of its
first epoch.
"""

import json
import subprocess
import sys
from pathlib import Path

import onnx
import torch
from torch import nn
from torch.nn import functional

from definitions import Detector, Model, Padded, Unet, image, padded, tokens, transformer
from train_beside_torch import RECIPES, Experiment, rate_of

STORED_RECIPES = ("clipped adamw", "bf16", "f16")


class Kinks(nn.Module):
    """Values at which a function has no derivative, and rows that have no gradient.

    Repeated tokens tie for the maximum of each sample. The row of padding stays zero, so its norm has no derivative.
    """

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(6, 8, padding_idx=4)
        self.steps = nn.Parameter(torch.tensor([[0.0, 1.0, 1.0, 0.5], [0.0, 0.0, 1.0, 2.0]]))
        self.slope = nn.Parameter(torch.tensor([0.3]))
        self.head = nn.Linear(8, 5)

    def forward(self, tokens):
        rows = functional.normalize(self.embed(tokens), dim=-1)
        steps = self.steps
        ties = steps.max(1).values + steps.min(1).values + steps.amax(1)
        limited = torch.clamp(steps, 0, 1) + torch.clamp_min(steps, 0.0) + functional.hardtanh(steps)
        bent = functional.prelu(steps, self.slope) + torch.maximum(steps, steps.flip(1)) + functional.relu6(steps)
        return self.head(rows.max(1).values * (limited + bent + ties[:, None]).reshape(8))


TINY = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
LANGUAGE = {**TINY, "vocab_size": 96, "max_position_embeddings": 16}
NO_CACHE = {"options": {"use_cache": False}}
# Name of the file: (model, whether the exporter optimizes).
EXPORTS = {
    "gpt2": (Model(transformer("GPT2LMHeadModel", "GPT2Config", n_embd=16, n_layer=2, n_head=2, vocab_size=96,
                               n_positions=16, **NO_CACHE), lambda n: (tokens(n, 8),)), False),
    "llama": (Model(transformer("LlamaForCausalLM", "LlamaConfig", num_key_value_heads=1, **LANGUAGE, **NO_CACHE),
                    lambda n: (tokens(n, 8),)), True),
    "bert": (Model(transformer("BertForSequenceClassification", "BertConfig", **LANGUAGE), lambda n: (tokens(n, 8),)),
             False),
    "vit": (Model(transformer("ViTForImageClassification", "ViTConfig", image_size=16, patch_size=8, **TINY),
                  lambda n: (image(n, 16),)), True),
    "padded": (Model(transformer("LlamaForCausalLM", "LlamaConfig", wrapper=Padded, num_key_value_heads=1, **LANGUAGE,
                                 **NO_CACHE), lambda n: padded(n, 8)), False),
    "kinks": (Model(Kinks, lambda n: (torch.randint(0, 6, (n, 5)),)), False),
    "unet": (Model(Unet, lambda n: (image(n, 8), torch.linspace(1.0, 20.0, n))), True),
}
KEPT_METADATA = ("pkg.torch.onnx.fx_node", "pkg.torch.onnx.name_scopes", "pkg.torch.export", "pkg.onnxscript")


def shorten(file):
    """Removes what import does not read: stack traces, classes, the shapes of inner values.

    The metadata of inner values say which parameters the exporter folded into them.
    """
    model = onnx.load(file)
    folded = [value for value in model.graph.value_info if value.metadata_props]
    del model.graph.value_info[:]
    model.graph.value_info.extend(folded)
    for node in model.graph.node:
        kept = [entry for entry in node.metadata_props if entry.key.startswith(KEPT_METADATA)]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
        node.doc_string = ""
    onnx.save(model, file)


def write_example():
    """Runs the scripts of examples/torch. Stack traces get paths that do not depend on the machine."""
    root = Path(__file__).resolve().parents[2]
    folder = root / "examples/torch"
    prefixes = {f"{root}/": "", f"{Path(torch.__file__).parents[1]}/": "site-packages/"}
    for script in ("export.py", "refused.py"):
        subprocess.run([sys.executable, folder / script], cwd=folder, check=True)
    for file in folder.glob("**/*.onnx"):
        model = onnx.load(file)
        for node in model.graph.node:
            for entry in node.metadata_props:
                for prefix, shorter in prefixes.items():
                    entry.value = entry.value.replace(prefix, shorter)
        onnx.save(model, file)
    sys.path.insert(0, str(folder))
    import train

    flags = ["--set-dim=batch=64", "--loss=softmax_cross_entropy:ignore_index=-100", "--optimizer=adamw,lr=0.003"]
    golden = {"model": "sorter.onnx", "flags": flags, "data": "--data=npy:train", "losses": next(train.train_epochs(1))}
    (folder / "golden.json").write_text(json.dumps({"sorter": golden}, indent=1) + "\n")


def store(experiment, recipe):
    """Returns the flags and the losses of a recipe."""
    optimizer = RECIPES[recipe].optimizer.format(rate=rate_of(experiment.definition, recipe))
    return {"flags": ["--loss=softmax_cross_entropy", f"--optimizer={optimizer}", *RECIPES[recipe].flags],
            "losses": experiment.trained[recipe][0]}


def main():
    if sys.argv[1] == "--example":
        write_example()
        return
    folder = Path(sys.argv[1]).resolve()
    stored = folder / "golden.json"
    golden = json.loads(stored.read_text()) if sys.argv[2:] else {}
    for name in sys.argv[2:] or EXPORTS:
        definition, optimized = EXPORTS[name]
        experiment = Experiment(name, steps=4, batch=4, definition=definition, recipes=("sgd", *STORED_RECIPES))
        file, data = experiment.export(folder / name, optimized, dynamic=False)
        shorten(file)
        golden[name] = {"data": data.replace(f"{folder}/", ""), "losses": experiment.trained["sgd"][0],
                        "recipes": {recipe: store(experiment, recipe) for recipe in STORED_RECIPES}}
    stored.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
