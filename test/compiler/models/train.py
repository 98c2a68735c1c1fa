# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the stored exports on several ranks and compares their losses with torch's.

usage: train.py INPUTS PCC [--recipe=NAME] [flags of pcc run…]

Prints `NAME: 4 losses right`, or what differs, for each export. A recipe has flags and losses of its own in golden.json.
"""

import json
import subprocess
import sys

TOLERANCE = 2e-5
HALF_TOLERANCE = 5e-3  # of mixed precision: torch rounds in other places
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
    tolerance = HALF_TOLERANCE if any("--precision" in flag for flag in golden.get("flags", [])) else TOLERANCE
    is_right = len(found) == len(expected) and all(abs(a - b) <= tolerance * abs(b) for a, b in zip(found, expected))
    return f"{len(found)} losses right" if is_right else f"got {found}, torch has {expected}"


def main():
    inputs, pcc, *flags = sys.argv[1:]
    recipe = flags.pop(0).partition("=")[2] if flags and flags[0].startswith("--recipe=") else None
    with open(f"{inputs}/golden.json", encoding="utf-8") as file:
        for name, golden in json.load(file).items():
            if recipe:
                golden |= golden["recipes"][recipe]
            print(f"{name}: {train(inputs, pcc, name, golden, flags)}", flush=True)


if __name__ == "__main__":
    main()
