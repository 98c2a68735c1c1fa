# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the type and the first element of each tensor of a .safetensors file.

usage: print_weights.py FILE
"""

import json
import struct
import sys


def first_of(kind, data):
    """Returns the first element of `data`, of a float type."""
    if kind == "BF16":
        return struct.unpack("<f", b"\0\0" + data[:2])[0]
    return struct.unpack({"F32": "<f", "F16": "<e"}[kind], data[: {"F32": 4, "F16": 2}[kind]])[0]


def main():
    content = open(sys.argv[1], "rb").read()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    for name, tensor in json.loads(content[8:begin]).items():
        if name != "__metadata__":
            offset = begin + tensor["data_offsets"][0]
            print(f"{name}: {tensor['dtype']} {first_of(tensor['dtype'], content[offset:]):.6f}")


if __name__ == "__main__":
    main()
