# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the phases in a folder of --dump-ir, each with the one before it, in the interpreter.

  verify_phases.py FOLDER

Prints a line per pair; the exit status is 1 if one differs.
"""

import subprocess
import sys
from pathlib import Path

folder = Path(sys.argv[1])
phases = sorted(file for file in folder.glob("*.mlir") if "01" < file.name[:2] < "08")
failed = False
for before, after in zip(phases, phases[1:]):
    run = subprocess.run(["pcc", "verify", str(before), str(after)], capture_output=True, text=True)
    last = (run.stdout + run.stderr).strip().splitlines()[-1]
    print(f"{before.stem}, {after.stem}: {last.removeprefix('verify: ')}")
    failed |= run.returncode != 0
sys.exit(failed)
