# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains models on the emulated GPU and on the host, and compares the losses:

  gpu_losses.py ROOT SCRATCH DRIVER [--models NAME…] [--splits NAME…] [--steps N]

DRIVER is the folder of the emulator's libcuda.so.1. Losses of the host are the reference. Sums have another order, so
losses are near, but not equal. Prints a line for each run.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

SMALL = ["layers=1", "width=32", "batch=4", "sequence=8", "heads=4", "vocabulary=32"]
MODELS = {
    "mlp": ["width=32", "batch=8"],
    "gpt": SMALL,
    "llama": SMALL,
    "bert": [*SMALL, "classes=4"],
    "vit": ["layers=1", "width=32", "batch=4", "heads=2", "classes=4"],
    "moe": ["width=16", "batch=4", "sequence=4"],
    "wide_deep": ["width=16", "batch=4", "vocabulary=16", "fields=4"],
    "convolutions": None,
}
SPLITS = {
    "one": [],
    "data": ["--device-num=4", "--parallel-mode=data_parallel", "--gradients-mean"],
    "optimizer": ["--device-num=4", "--parallel-mode=data_parallel", "--gradients-mean", "--enable-parallel-optimizer",
                  "--parallel-optimizer-threshold=0"],
    "pipeline": ["--device-num=2", "--parallel-mode=data_parallel", "--pipeline-stages=2", "--micro-batches=2"],
}


def call(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"gpu_losses: exit code {done.returncode} from {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def source(root, scratch, model):
    """Returns the file of a model, and its loss function."""
    if MODELS[model] is None:
        return f"{root}/test/tools/pcc/Inputs/{model}.mlir", "softmax_cross_entropy"
    path = f"{scratch}/{model}.mlir"
    call(["pcc", "example", model, *[f"--set={size}" for size in MODELS[model]], "-o", path])
    return path, "mse" if model in ("moe", "wide_deep") else "softmax_cross_entropy"


def losses(program, steps, environment):
    text = call(["pcc-run", program, "--data=synthetic:16", f"--steps={steps}", "--log-every=0", "--format=json"], env=environment)
    return [step["loss"] for step in json.loads(text)["steps"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("driver")
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--splits", nargs="+", default=list(SPLITS))
    parser.add_argument("--steps", type=int, default=4)
    arguments = parser.parse_args()
    paths = {"host": dict(os.environ), "cuda:emulator": {**os.environ, "LD_LIBRARY_PATH": arguments.driver}}
    for model in arguments.models:
        path, loss = source(arguments.root, arguments.scratch, model)
        for split in arguments.splits:
            runs = []
            for target, environment in paths.items():
                program = str(arguments.scratch / f"{model}.{split}.pcx")
                call(["pcc", "compile", path, f"--loss={loss}", "--optimizer=momentum,lr=0.05,momentum=0.9", *SPLITS[split],
                      f"--target={target}", "-o", program])
                runs.append(losses(program, arguments.steps, environment))
            worst = max(abs(a - b) / abs(a) for a, b in zip(*runs))
            if len(runs[0]) != arguments.steps or len(runs[1]) != arguments.steps or not worst < 1e-4:
                sys.exit(f"{model} {split}: losses differ\n  host     {runs[0]}\n  emulator {runs[1]}")
            print(f"{model} {split}: {arguments.steps} losses within 1e-4, last {runs[1][-1]:.6f}")


if __name__ == "__main__":
    main()
