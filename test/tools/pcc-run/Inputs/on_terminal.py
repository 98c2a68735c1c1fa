# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command with a terminal of 100 columns as its output: on_terminal.py COMMAND…

Prints what the terminal got, without empty lines: a carriage return as a new line with the mark `<cr>`, escapes as `\\x1b`.
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

own, other = pty.openpty()
fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
run = subprocess.Popen(sys.argv[1:], stdout=other, stderr=other)
os.close(other)
output = b""
while True:
    try:
        data = os.read(own, 4096)
    except OSError:  # Linux's end of a terminal
        break
    if not data:
        break
    output += data
text = output.decode().replace("\r\n", "\n").replace("\r", "\n<cr>").replace("\x1b", "\\x1b")
print(*filter(None, text.splitlines()), sep="\n")
sys.exit(run.wait())
