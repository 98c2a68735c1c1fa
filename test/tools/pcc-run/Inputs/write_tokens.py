# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""write_tokens.py FOLDER: writes the same 3,001 tokens below 256 in several forms.

  bytes.txt                 one byte each
  one.bin, wide.bin         16 and 32 bits each
  shard_0.bin, shard_1.bin  two parts of one.bin
  megatron.bin, .idx        32 bits each in documents, with an index of Megatron-LM
  data/train.bin, data/val.bin  one.bin, and its first 501 tokens
  sparse.bin                2,400,000,000 zeros of 16 bits in a file without blocks
  cut.bin                   60,000,000 zeros of the same kind
  late.bin                  60,000,000 of 16 bits, of which number 1,000 is 256 and the others are 0
"""

import random
import struct
import sys
from array import array
from pathlib import Path

folder = Path(sys.argv[1])
(folder / "data").mkdir(parents=True)
draw = random.Random(1)
tokens = [draw.randrange(256) for _ in range(3001)]
one = array("H", tokens).tobytes()
(folder / "bytes.txt").write_bytes(bytes(tokens))
(folder / "one.bin").write_bytes(one)
(folder / "wide.bin").write_bytes(array("I", tokens).tobytes())
(folder / "shard_0.bin").write_bytes(one[:1002])
(folder / "shard_1.bin").write_bytes(one[1002:])
(folder / "data/train.bin").write_bytes(one)
(folder / "data/val.bin").write_bytes(one[:1002])

ends = [0, 700, 701, 2000, len(tokens)]
lengths = [end - begin for begin, end in zip(ends, ends[1:])]
(folder / "megatron.bin").write_bytes(array("i", tokens).tobytes())
(folder / "megatron.idx").write_bytes(
    b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 4, len(lengths), len(ends)) + array("i", lengths).tobytes()
    + array("q", [4 * begin for begin in ends[:-1]]).tobytes() + array("q", range(len(ends))).tobytes())

for name, count in (("sparse.bin", 2_400_000_000), ("cut.bin", 60_000_000), ("late.bin", 60_000_000)):
    with open(folder / name, "wb") as file:
        if name == "late.bin":
            file.seek(2 * 1000)
            file.write(struct.pack("<H", 256))
        file.truncate(2 * count)
