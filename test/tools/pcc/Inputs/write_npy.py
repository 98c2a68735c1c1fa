# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an .npy file: a shape filled with one value, except for given elements.

  write_npy.py FILE TYPE EXTENT,… VALUE [PLACE=VALUE…]    TYPE as numpy has it: <f4, <i8
"""

import math
import struct
import sys

LETTERS = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|u1": "B"}


def main():
    path, kind, shape, value, *others = sys.argv[1:]
    extents = [int(extent) for extent in shape.split(",")]
    number = float if kind[1] == "f" else int
    values = [number(value)] * math.prod(extents)
    for other in others:
        place, _, text = other.partition("=")
        values[int(place)] = number(text)
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, extents))},), }}\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{LETTERS[kind]}", *values))


if __name__ == "__main__":
    main()
