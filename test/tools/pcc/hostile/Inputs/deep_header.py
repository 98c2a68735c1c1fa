# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a safetensors file whose header is nested 200,000 deep: deep_header.py FILE."""

import struct
import sys

header = b'{"a":' + b"[" * 200000
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header)
