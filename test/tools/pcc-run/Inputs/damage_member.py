# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a tar archive and clears the second half of a file in it: damage_member.py ARCHIVE COPY NAME"""

import sys
import tarfile
from pathlib import Path


def main():
    archive, copy, name = sys.argv[1:]
    with tarfile.open(archive) as tar:
        member = tar.getmember(name)
    data = bytearray(Path(archive).read_bytes())
    end = member.offset_data + member.size
    begin = member.offset_data + member.size // 2
    data[begin:end] = bytes(end - begin)
    Path(copy).write_bytes(data)


main()
