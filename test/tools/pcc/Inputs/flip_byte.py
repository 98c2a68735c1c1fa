# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""flip_byte.py FROM TO POSITION: copies a file with one byte changed."""

import sys
from pathlib import Path

content = bytearray(Path(sys.argv[1]).read_bytes())
content[int(sys.argv[3])] ^= 0xFF
Path(sys.argv[2]).write_bytes(content)
