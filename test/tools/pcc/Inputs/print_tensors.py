# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the name and the numbers of each tensor of a safetensors file of f32: `print_tensors.py FILE`."""

import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    content = file.read()
length = struct.unpack("<Q", content[:8])[0]
for name, entry in json.loads(content[8 : 8 + length]).items():
    begin, end = (8 + length + offset for offset in entry["data_offsets"])
    print(name, [round(number, 5) for number in struct.unpack(f"<{(end - begin) // 4}f", content[begin:end])])
