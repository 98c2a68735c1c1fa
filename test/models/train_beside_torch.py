# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains public models in pcc and in torch from the same weights, on the same data, and compares them.

usage: train_beside_torch.py PCC FOLDER [MODEL…] [--forms=default,raw] [--batches=static,dynamic]
                             [--recipes=sgd,adamw] [--ways=NAME,…] [--steps=8] [--batch=4]

A cell of the table is right if all losses are within 2e-5 of torch's, torch loads the saved file strictly, each
parameter is within 1 % of its move and what its updates round, and the trained model gives torch's outputs. Outputs
are right within 1e-3 of the greatest, or up to 1e-2 if torch's own differ more after it trained in f64. Where the
samples of a batch depend on each other, microbatches and copies must be refused. An export that does not hold all
parameters must be refused, with the remedy. Exit code 1 if a cell is neither right nor refused so. FOLDER keeps the
exported models, their data and the output of every run.
"""

import argparse
import contextlib
import copy
import dataclasses
import io
import json
import math
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_model
from torch.nn.functional import cross_entropy

from definitions import MODELS

LOSS_TOLERANCE, PARAMETER_TOLERANCE, OUTPUT_TOLERANCE, MAX_ROUNDING = 2e-5, 0.01, 1e-3, 1e-2
# Gradients below this share of the model's greatest one are zero in exact arithmetic, or too close to tell.
ZERO_GRADIENT = 1e-7
# What torch's exporter folds into constants is not in the file.
REMEDY = "export with 'optimize=False' to train the model"

DATA_PARALLEL = ["--parallel-mode=data_parallel", "--gradients-mean"]
SEARCH = ["--parallel-mode=auto_parallel", "--time-limit=3"]
MICROBATCHES = ["--micro-batches=2", "--micro-reduction=mean"]
WAYS = {
    "1 rank": [],
    "2 data parallel": ["--device-num=2", *DATA_PARALLEL],
    "4 searched": ["--device-num=4", *SEARCH],
    "2 stages": ["--device-num=2", *DATA_PARALLEL, "--pipeline-stages=2", *MICROBATCHES],
    "2 stages x 2 searched": ["--device-num=4", *SEARCH, "--pipeline-stages=2", *MICROBATCHES],
    "2 x 2 x 2 sharded": ["--device-num=8", *SEARCH,
                          "--pipeline-stages=2", *MICROBATCHES, "--enable-parallel-optimizer",
                          "--parallel-optimizer-level=3", "--parallel-optimizer-threshold=0"],
    "2 copies": ["--device-num=2", *DATA_PARALLEL, "--interleave-num=2", "--micro-reduction=mean"],
    "sharded optimizer": ["--device-num=2", *DATA_PARALLEL, "--enable-parallel-optimizer", "--parallel-optimizer-level=3",
                          "--parallel-optimizer-threshold=0"],
}
PARTS_OF_BATCH = [way for way, flags in WAYS.items() if any("micro-reduction" in flag for flag in flags)]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """An optimizer and what is done to gradients and types, in pcc and in torch."""

    optimizer: str  # for pcc, with a place for the rate
    make: Callable  # of torch: from parameters and the rate
    slowness: float = 1  # divisor of the model's rate
    clip_norm: float | None = None
    half: torch.dtype | None = None
    scale: float | None = None  # first one of a dynamic loss scale
    tolerance: float = LOSS_TOLERANCE  # of a loss

    @property
    def flags(self):
        """The flags of pcc besides the optimizer."""
        return ([f"--clip-norm={self.clip_norm}"] if self.clip_norm else []) + (
            [f"--precision={HALF_TYPES[self.half]}"] if self.half else []) + (
            [f"--loss-scale=dynamic:{self.scale}"] if self.scale else [])


HALF_TYPES = {torch.bfloat16: "bf16", torch.float16: "f16"}
HALF_TOLERANCE = 2e-2  # a half type has 8 or 11 digits, and torch rounds in other places
SGD = ("sgd,lr={rate}", torch.optim.SGD)
ADAMW = ("adamw,lr={rate}", torch.optim.AdamW, 50)
RECIPES = {
    "sgd": Recipe(*SGD),
    "adamw": Recipe(*ADAMW),
    "clipped": Recipe(*SGD, clip_norm=0.1),
    "clipped adamw": Recipe(*ADAMW, clip_norm=0.1),
    "scaled": Recipe(*ADAMW, clip_norm=0.1, scale=2.0**16),
    "bf16": Recipe(*ADAMW, half=torch.bfloat16, tolerance=HALF_TOLERANCE),
    "f16": Recipe(*ADAMW, clip_norm=0.1, half=torch.float16, scale=2.0**12, tolerance=HALF_TOLERANCE),
    # The first scale exceeds f16 in the backward pass, so the first steps are skipped.
    "skipped": Recipe(*ADAMW, clip_norm=0.1, half=torch.float16, scale=2.0**24, tolerance=HALF_TOLERANCE),
}


def rate_of(definition, recipe):
    return definition.rate / RECIPES[recipe].slowness


def first(result):
    return result if isinstance(result, torch.Tensor) else result[0]


def loss_of(model, inputs, labels):
    logits = first(model(*inputs))
    return cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))


class Experiment:
    """One model with its weights, the batches of all steps, and what torch makes of them."""

    def __init__(self, name, steps, batch, definition=None, recipes=("sgd", "adamw")):
        torch.manual_seed(0)
        self.name, self.definition, self.batch = name, definition or MODELS[name], batch
        self.model = self.definition.build().eval()
        self.inputs = [self.definition.inputs(batch) for _ in range(steps)]
        with torch.no_grad():
            shape = first(self.model(*self.inputs[0])).shape
        self.labels = [torch.randint(0, shape[-1], shape[:-1]) for _ in range(steps)]
        self.gradients = self.exact_gradients()
        self.trained = {recipe: self.train(recipe) for recipe in recipes}

    def exact_gradients(self):
        """Returns the gradients of the first step in f64, or in f32 where torch has no f64 kernel."""
        model = copy.deepcopy(self.model).double()
        inputs = [x.double() if x.is_floating_point() else x for x in self.inputs[0]]
        try:
            loss_of(model, inputs, self.labels[0]).backward()
        except RuntimeError:
            model = copy.deepcopy(self.model)
            loss_of(model, self.inputs[0], self.labels[0]).backward()
        return {key: torch.zeros_like(p) if p.grad is None else p.grad for key, p in model.named_parameters()}

    def rounding_of(self, recipe):
        """Returns by how much torch's own outputs differ after it trained in f64, as a share of the greatest."""
        exact = copy.copy(self)
        exact.model = copy.deepcopy(self.model).double()
        exact.inputs = [[x.double() if x.is_floating_point() else x for x in batch] for batch in self.inputs]
        return error_of_outputs(self.trained[recipe][1], self.inputs[0], exact.train(recipe)[1], exact.inputs[0])

    def train(self, name):
        """Returns (losses, trained model)."""
        recipe, model = RECIPES[name], copy.deepcopy(self.model)
        optimizer = recipe.make(model.parameters(), rate_of(self.definition, name))
        scaler = torch.amp.GradScaler("cpu", init_scale=recipe.scale or 1.0, enabled=recipe.scale is not None)
        losses = []
        for inputs, labels in zip(self.inputs, self.labels):
            optimizer.zero_grad()
            with torch.autocast("cpu", recipe.half or torch.bfloat16, enabled=recipe.half is not None):
                loss = loss_of(model, inputs, labels)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            if recipe.clip_norm:
                torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip_norm)
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
        return losses, model

    def export(self, folder, optimized, dynamic):
        """Writes the model and its data; returns (model file, --data flag)."""
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "model.onnx"
        shapes = tuple({0: torch.export.Dim("batch", min=2, max=512)} for _ in self.inputs[0])
        torch._dynamo.reset()  # or an export before this one fixes the sizes of the LSTM
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(self.model, self.inputs[0], dynamo=True, verbose=False, optimize=optimized,
                                        **({"dynamic_shapes": shapes} if dynamic else {}))
            program.save(file)
        self.output = program.model.graph.outputs[0].name
        fields = []
        for index, value in enumerate(program.model.graph.inputs):
            np.save(folder / f"input{index}.npy", torch.cat([step[index] for step in self.inputs]).numpy())
            fields.append(f"{value.name}={folder}/input{index}.npy")
        np.save(folder / "labels.npy", torch.cat(self.labels).numpy())
        return file, "--data=npy:" + ",".join([*fields, f"labels={folder}/labels.npy"])


def error_of_outputs(model, inputs, other, other_inputs):
    """Returns the greatest difference of two models' outputs, as a share of the greatest output."""
    with torch.no_grad():
        actual, expected = first(model(*inputs)).double(), first(other(*other_inputs)).double()
    return float((actual - expected).abs().max() / expected.abs().max())


def compare_parameters(experiment, reference, ours):
    """Returns (greatest error as a share of the parameter's move, its name).

    Both programs round a parameter with each update: torch itself differs by that from one number of threads to another.
    """
    start = dict(experiment.model.named_parameters())
    trained = dict(ours.named_parameters())
    floor = ZERO_GRADIENT * max(float(g.abs().max()) for g in experiment.gradients.values())
    worst = (0.0, "")
    for key, value in reference.named_parameters():
        live = experiment.gradients[key].abs() > floor
        if not live.any():
            continue
        move = (value - start[key]).detach()[live].norm()
        rounding = math.sqrt(2 * len(experiment.inputs)) * torch.finfo(value.dtype).eps / 2 * value.detach()[live].norm()
        rounding = min(rounding, move / 2)  # a parameter that is not trained at all is off
        error = max(0.0, (value - trained[key]).detach()[live].norm() - rounding)
        worst = max(worst, (float(error / max(move, 1e-9)), key))
    return worst


def judge(experiment, recipe, output, saved):
    """Returns an empty text if pcc trained as torch did, else what differs."""
    losses, reference = experiment.trained[recipe]
    found = [step["loss"] for step in json.loads(output[output.index('{"steps"'):])["steps"]]
    if len(found) != len(losses):
        return f"{len(found)} losses of {len(losses)}"
    error = max(abs(a - b) / abs(b) for a, b in zip(found, losses))
    if not error <= RECIPES[recipe].tolerance:
        return f"loss {error:.1e} off"
    ours = copy.deepcopy(experiment.model)
    try:
        load_model(ours, saved, strict=True)  # tied parameters have one name in the file
    except RuntimeError as problem:
        return "not loaded: " + " ".join(str(problem).split())[:150]
    if RECIPES[recipe].half:
        return ""  # the move of a parameter in few steps is not much more than its roundings
    error, key = compare_parameters(experiment, reference, ours)
    if not error <= PARAMETER_TOLERANCE:
        return f"parameter {key} {error:.1e} of its move off"
    error = error_of_outputs(ours, experiment.inputs[0], reference, experiment.inputs[0])
    is_right = error < OUTPUT_TOLERANCE or error < min(experiment.rounding_of(recipe), MAX_ROUNDING)
    return "" if is_right else f"outputs {error:.1e} of the greatest off"


def freeze_flags(model):
    """A file does not say which parameters have `requires_grad=False`."""
    frozen = [re.escape(name) for name, parameter in model.named_parameters() if not parameter.requires_grad]
    return [f"--freeze=^({'|'.join(frozen)})$"] if frozen else []


def run_pcc(pcc, experiment, exported, recipe, way, dynamic, folder):
    """Trains in pcc on one way; returns an empty text or what is wrong."""
    file, data = exported
    saved, log = folder / "trained.safetensors", folder / f"{way.replace(' ', '_')}_{recipe.replace(' ', '_')}.log"
    saved.unlink(missing_ok=True)
    rate = rate_of(experiment.definition, recipe)
    command = [pcc, "run", str(file), f"--loss=softmax_cross_entropy:{experiment.output}", data,
               "--optimizer=" + RECIPES[recipe].optimizer.format(rate=rate), *RECIPES[recipe].flags,
               "--epochs=1", "--log-every=0", "--format=json", f"--save={saved}", *experiment.definition.flags,
               *freeze_flags(experiment.model), *WAYS[way]]
    if dynamic:
        command.append(f"--set-dim=batch={experiment.batch}")
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "no end after 300 s"
    log.write_text(" ".join(command) + "\n" + run.stdout + run.stderr)
    if experiment.definition.mixes_samples and way in PARTS_OF_BATCH:
        return "" if "cannot work on one of 2 parts" in run.stderr else "not refused: " + run.stderr[-200:]
    if run.returncode:
        problem = next((line for line in run.stderr.splitlines() if "error:" in line), run.stderr[:200])
        return f"exit code {run.returncode}: {problem[-200:]}"
    return judge(experiment, recipe, run.stdout, saved)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pcc")
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--forms", default="default,raw")
    parser.add_argument("--batches", default="static,dynamic")
    parser.add_argument("--recipes", default="sgd,adamw")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--batch", type=int, default=4)
    options = parser.parse_args()
    right = refused = total = 0
    for name in options.models or MODELS:
        experiment = Experiment(name, options.steps, options.batch, recipes=options.recipes.split(","))
        for form in options.forms.split(","):
            for batch in options.batches.split(","):
                folder = options.folder.resolve() / name / f"{form}-{batch}"
                try:
                    exported = experiment.export(folder, form == "default", batch == "dynamic")
                except Exception as problem:  # the exporter raises errors of many kinds
                    print(f"{name} | {form} {batch} | not exported: {type(problem).__name__}", flush=True)
                    continue
                for recipe in options.recipes.split(","):
                    wrong = {way: run_pcc(options.pcc, experiment, exported, recipe, way, batch == "dynamic", folder)
                             for way in options.ways.split(",")}
                    total += len(wrong)
                    right += (good := sum(not text for text in wrong.values()))
                    refused += (known := sum(form == "default" and REMEDY in text for text in wrong.values()))
                    print(f"{name} | {form} {batch} {recipe} | {good} of {len(wrong)} right" + (f", {known} refused" if known else ""))
                    for way, text in wrong.items():
                        if text and (not known or REMEDY not in text or way == next(iter(wrong))):
                            print(f"    {way}: {text}", flush=True)
    print(f"{right} of {total} cells right, {refused} refused, since the export lacks parameters")
    return 0 if right + refused == total else 1


if __name__ == "__main__":
    sys.exit(main())
