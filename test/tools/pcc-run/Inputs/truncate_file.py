# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""truncate_file.py FILE BYTES COMMAND…: runs a command, and truncates a file after the command's first line of output."""

import os
import subprocess
import sys

with subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
    for number, line in enumerate(process.stdout):
        sys.stdout.buffer.write(line)
        if number == 0:
            os.truncate(sys.argv[1], int(sys.argv[2]))
sys.exit(process.returncode)
