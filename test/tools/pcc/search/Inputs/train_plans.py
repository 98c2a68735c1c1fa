# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains by every plan of a folder, and compares the losses with those of one device: train_plans.py PCC FOLDER MODEL OPTION...

Prints the number of plans that were compared, and those whose losses differ by more than rounding. The options are those
of `pcc run` besides `--plan`. Exits with 1 if a plan differs.
"""

import json
import subprocess
import sys
from pathlib import Path

LIMIT = 1e-5


def train(pcc, model, options):
    command = [pcc, "run", model, *options, "--log-every=0", "--format=json"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [step["loss"] for step in json.loads(run.stdout)["steps"]]


def main():
    pcc, folder, model, *options = sys.argv[1:]
    expected = train(pcc, model, options)
    plans = sorted(Path(folder).glob("*.textproto"))
    wrong = []
    for plan in plans:
        losses = train(pcc, model, [*options, f"--plan={plan}"])
        difference = max(abs(a - b) / abs(b) for a, b in zip(losses, expected, strict=True))
        if difference > LIMIT:
            wrong.append(f"{difference:.1e} {plan.read_text().splitlines()[0]}")
    print(f"{len(plans)} plans, {len(wrong)} differ")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
