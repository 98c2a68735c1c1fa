# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""peak_memory.py MIB COMMAND…: runs a command, and checks the peak of its resident memory against a limit."""

import resource
import subprocess
import sys

result = subprocess.run(sys.argv[2:], check=False)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if peak > float(sys.argv[1]):
    print(f"expected at most {sys.argv[1]} MiB of resident memory, got {peak:.0f}")
    sys.exit(1)
sys.exit(result.returncode)
