# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs the .npy files of a folder, as numpy.savez does: write_npz.py FOLDER FILE stored|deflated|bzip2 [flip=BYTE]

With flip, this byte of the finished file is changed.
"""

import sys
import zipfile
from pathlib import Path

folder, file, kind, *options = sys.argv[1:]
methods = {"stored": zipfile.ZIP_STORED, "deflated": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2}
with zipfile.ZipFile(file, "w", methods[kind]) as archive:
    archive.writestr("notes.txt", "not an array")
    for path in sorted(Path(folder).glob("*.npy")):
        with archive.open(path.name, "w", force_zip64=True) as member:  # as numpy.savez
            member.write(path.read_bytes())
for option in options:
    content = bytearray(Path(file).read_bytes())
    content[int(option.removeprefix("flip="))] ^= 0xff
    Path(file).write_bytes(content)
