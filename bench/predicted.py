#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step times on this machine beside those predicted from what `pcc calibrate` measured on it.

  bench/predicted.py BUILD

Prints one line per model and number of ranks. The machine must do nothing else.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MODELS = {
    "mlp": ["mlp", "--set", "batch=512"],
    "gpt": ["gpt", "--set", "layers=4", "--set", "width=256", "--set", "heads=4", "--set", "sequence=128",
            "--set", "batch=16", "--set", "vocabulary=1024"],
}
TRAINING = ["--loss=softmax_cross_entropy", "--optimizer=sgd,lr=0.01"]


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def compare(pcc, model, ranks, cluster):
    """Seconds of a step, predicted and measured."""
    parallel = [f"--device-num={ranks}"]
    if ranks > 1:
        parallel += ["--parallel-mode=data_parallel", "--gradients-mean"]
    common = [model, *TRAINING, *parallel, "--format=json"]
    price = json.loads(run(pcc, "explain", *common, "--cost", f"--cluster={cluster}", "--hide-reductions=false"))
    report = json.loads(run(pcc, "run", *common, "--data=synthetic:4096", "--epochs=1000", "--steps=50", "--log-every=0"))
    return price["step_seconds"], report["step_seconds"]["median"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    pcc = str(Path(sys.argv[1]) / "bin" / "pcc")
    with tempfile.TemporaryDirectory() as folder:
        print("model  ranks   predicted    measured    error")
        for ranks in (1, 2, 4):
            cluster = f"{folder}/{ranks}.textproto"
            run(pcc, "calibrate", f"--device-num={ranks}", "-o", cluster)
            for name, options in MODELS.items():
                model = f"{folder}/{name}.mlir"
                run(pcc, "example", *options, "-o", model)
                predicted, measured = compare(pcc, model, ranks, cluster)
                error = predicted / measured - 1
                print(f"{name:6} {ranks:5} {predicted * 1e3:8.2f} ms {measured * 1e3:8.2f} ms {error:8.1%}", flush=True)


if __name__ == "__main__":
    main()
