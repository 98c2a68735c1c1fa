# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the shared libraries that a program needs, except for the loader and libraries of sanitizers."""

import re
import shutil
import subprocess
import sys

program = shutil.which(sys.argv[1])
lines = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
needed = re.findall(r"\(NEEDED\).*\[(.*)\]", lines)
if any(name.startswith(("libasan", "libtsan")) for name in needed):
    needed = ["libc.so.6", "libm.so.6"]
print("needs only", *sorted(name for name in needed if not name.startswith("ld-linux")))
