# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two safetensors files of f32: `compare_tensors.py A B MOST`. Prints each tensor of A with its shape; fails if B has
other tensors, or a number that differs by more than MOST."""

import json
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<Q", content[:8])[0]
    tensors = {}
    for name, entry in json.loads(content[8 : 8 + length]).items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = (entry["shape"], struct.unpack(f"<{(end - begin) // 4}f", content[begin:end]))
    return tensors


first, second, most = read(sys.argv[1]), read(sys.argv[2]), float(sys.argv[3])
assert first.keys() == second.keys(), f"{sorted(first)} and {sorted(second)}"
for name, (shape, numbers) in first.items():
    assert shape == second[name][0], f"{name}: {shape} and {second[name][0]}"
    difference = max(abs(a - b) for a, b in zip(numbers, second[name][1]))
    assert difference <= most, f"{name}: {difference}"
    print(name, shape)
