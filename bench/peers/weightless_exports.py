#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports large models of transformers without their weights: weightless_exports.py FOLDER NAME...

Each model is built on torch's meta device, so that a model of 70B parameters takes as much memory as a small one. The file
names parameters in a file `weights.bin` that does not exist. The batch is a dimension without a size.
"""

import sys
from pathlib import Path

import torch
import transformers
from onnxscript import ir


def llama(width, inner, layers, heads, key_value_heads):
    config = transformers.LlamaConfig(vocab_size=32000, hidden_size=width, intermediate_size=inner, num_hidden_layers=layers,
                                      num_attention_heads=heads, num_key_value_heads=key_value_heads, use_cache=False)
    return transformers.LlamaForCausalLM, config, {"input_ids": (4096,)}


# The class, its configuration, and the shape of a sample of each input; no shape for images of 224 x 224.
MODELS = {
    "bert-base": (transformers.BertForMaskedLM, transformers.BertConfig(), {"input_ids": (512,)}),
    "gpt2-xl": (transformers.GPT2LMHeadModel, transformers.GPT2Config(n_embd=1600, n_layer=48, n_head=25, use_cache=False),
                {"input_ids": (1024,)}),
    "llama2-7b": llama(4096, 11008, 32, 32, 32),
    "llama2-13b": llama(5120, 13824, 40, 40, 40),
    "llama2-70b": llama(8192, 28672, 80, 64, 8),
    "vit-22b": (transformers.ViTForImageClassification,
                transformers.ViTConfig(hidden_size=6144, num_hidden_layers=48, num_attention_heads=48, intermediate_size=24576,
                                       num_labels=1000, patch_size=14), {"pixel_values": (3, 224, 224)}),
    "t5-11b": (transformers.T5ForConditionalGeneration,
               transformers.T5Config(d_model=1024, d_kv=128, d_ff=65536, num_layers=24, num_heads=128, use_cache=False),
               {"input_ids": (512,), "decoder_input_ids": (512,)}),
}


class Logits(torch.nn.Module):
    """Returns the logits alone, which the loss of a training reads."""

    def __init__(self, model, names):
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, inputs):
        return self.model(**dict(zip(self.names, inputs, strict=True))).logits


def export(name, path):
    make, config, samples = MODELS[name]
    batch = 2  # of the example; the exported dimension has no size
    with torch.device("meta"):
        model = make(config).to(torch.bfloat16).eval()
        inputs = [torch.zeros(batch, *shape, dtype=torch.bfloat16 if len(shape) > 1 else torch.long)
                  for shape in samples.values()]
    dims = [{0: "batch"} for _ in inputs]
    program = torch.onnx.export(Logits(model, list(samples)), (inputs,), dynamo=True, optimize=False, verbose=False,
                                dynamic_shapes=(dims,))
    for parameter, value in program.model.graph.initializers.items():
        data = value.const_value
        raw = getattr(data, "raw", None)
        if data is None or (isinstance(raw, torch.Tensor) and raw.is_meta):
            size = data.size * data.dtype.itemsize
            value.const_value = ir.ExternalTensor("weights.bin", 0, size, data.dtype, shape=data.shape, name=parameter)
    ir.save(program.model, str(path))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        export(name, folder / f"{name}.onnx")


if __name__ == "__main__":
    main()
