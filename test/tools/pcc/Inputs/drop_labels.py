# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""drop_labels.py FROM TO: copies a folder of digits without the last training label."""

import gzip
import shutil
import struct
import sys
from pathlib import Path

source, target = Path(sys.argv[1]), Path(sys.argv[2])
shutil.copytree(source, target)
labels = target / "train-labels-idx1-ubyte.gz"
content = gzip.decompress(labels.read_bytes())
count = struct.unpack(">I", content[4:8])[0] - 1
labels.write_bytes(gzip.compress(content[:4] + struct.pack(">I", count) + content[8:-1]))
