# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the stored exports on several ranks and compares their losses with torch's.

usage: train.py INPUTS PCC [flags of pcc run…]      prints `NAME: 4 losses right`, or what differs, for each export
"""

import json
import subprocess
import sys

TOLERANCE = 2e-5
FLAGS = ["--loss=softmax_cross_entropy", "--optimizer=sgd,lr=0.05"]


def train(inputs, pcc, name, golden, flags):
    """Returns `4 losses right`, or what differs."""
    command = [pcc, "run", golden.get("model", f"{name}/model.onnx"), *golden.get("flags", FLAGS), golden["data"],
               "--epochs=1", "--log-every=0", "--format=json", *flags]
    run = subprocess.run(command, cwd=inputs, capture_output=True, text=True, check=False)
    if run.returncode:
        return f"exit code {run.returncode}: {run.stderr}"
    found = [step["loss"] for step in json.loads(run.stdout[run.stdout.index('{"steps"'):])["steps"]]
    expected = golden["losses"]
    is_right = len(found) == len(expected) and all(abs(a - b) <= TOLERANCE * abs(b) for a, b in zip(found, expected))
    return f"{len(found)} losses right" if is_right else f"got {found}, torch has {expected}"


def main():
    inputs, pcc, *flags = sys.argv[1:]
    with open(f"{inputs}/golden.json", encoding="utf-8") as file:
        for name, golden in json.load(file).items():
            print(f"{name}: {train(inputs, pcc, name, golden, flags)}", flush=True)


if __name__ == "__main__":
    main()
