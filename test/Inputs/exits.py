# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and checks its exit code: exits.py CODE COMMAND…. Prints its stdout and stderr, both on stdout."""

import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
sys.stdout.buffer.write(run.stdout)
if run.returncode != expected:
    print(f"exits.py: expected exit code {expected}, got {run.returncode} from: {' '.join(command)}")
    sys.exit(1)
