# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what became of a dynamic loss scale of first 1e7.

usage: print_scale.py CHECKPOINT WEIGHTS      the folder with all states of a training; a .safetensors file of its weights
"""

import json
import pathlib
import struct
import sys


def read(path):
    """Returns the tensors of a file as bytes, by name."""
    content = open(path, "rb").read()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    tensors = json.loads(content[8:begin])
    tensors.pop("__metadata__", None)
    return {name: content[begin + t["data_offsets"][0]:begin + t["data_offsets"][1]] for name, t in tensors.items()}


def main():
    weights, state = read(sys.argv[2]), {}
    for shard in pathlib.Path(sys.argv[1]).glob("*.safetensors"):
        state |= read(shard)
    (scale,) = struct.unpack("<f", state["loss_scale"])
    (skipped,) = struct.unpack("<q", state["skipped_steps"])
    print(f"skipped {skipped} steps; the scale is 1e7 halved as often: {scale == 1e7 / 2**skipped}")
    print(f"weights without states: {not any('scale' in name or 'norm' in name for name in weights)}")


if __name__ == "__main__":
    main()
