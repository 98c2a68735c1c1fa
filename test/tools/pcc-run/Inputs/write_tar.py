# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes WebDataset's archives of the rows of .npy files: write_tar.py FOLDER ARCHIVE... [FORMAT]

Row N of FOLDER/NAME.npy is the file `NNNNNN.NAME.npy`, but for label.npy, whose row is the text of `NNNNNN.cls`. The rows
are spread over the archives in order. FORMAT is that of Python's tarfile: ustar, gnu (default) or pax.
"""

import io
import struct
import sys
import tarfile
from pathlib import Path

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
FOLDER = "x" * 120  # longer than the name field of a header


def rows_of(path):
    """Returns the name and the content of the file for each row of an array."""
    data = path.read_bytes()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    header = eval(data[10:begin])  # a dictionary of literals
    count, *shape = header["shape"]
    size = (len(data) - begin) // count
    for row in range(count):
        content = data[begin + row * size:begin + (row + 1) * size]
        if path.stem == "label":
            yield "cls", b"%d\n" % struct.unpack("<q", content)
            continue
        own = repr({**header, "shape": tuple(shape)}).encode() + b"\n"
        yield f"{path.stem}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(own)) + own + content


def main():
    folder, *archives = sys.argv[1:]
    form = archives.pop() if archives[-1] in FORMATS else "gnu"
    samples = list(zip(*(rows_of(path) for path in sorted(Path(folder).glob("*.npy"))), strict=True))
    share = -(-len(samples) // len(archives))
    for number, archive in enumerate(archives):
        with tarfile.open(archive, "w", format=FORMATS[form]) as tar:
            for row in range(number * share, min((number + 1) * share, len(samples))):
                for name, content in samples[row]:
                    entry = tarfile.TarInfo(f"{FOLDER}/{row:06}.{name}" if row % 2 else f"{row:06}.{name}")
                    entry.size = len(content)
                    tar.addfile(entry, io.BytesIO(content))


if __name__ == "__main__":
    main()
