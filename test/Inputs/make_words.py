# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes sources with one finding of each kind of tools/dev/words, and an exception, into the folder given."""

import sys
from pathlib import Path

LONG = " ".join(["word"] * 32)
SOURCE = f"""// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

int {"most"}Bytes;
/// {"What"} it holds.
int held;
// Functions that {"normal"}ise.

// {LONG}.

int {"least"}Accepted;
"""
PROSE = f"A value {'of which'} one, {'of which'} two, {'whose'} third is long.\n"

root = Path(sys.argv[1])
(root / "Bad.cpp").write_text(SOURCE)
(root / "Bad.md").write_text(PROSE)
(root / "tools/dev/words-exceptions.txt").write_text(f"Bad.cpp\t{'least'}Accepted\taccepted here\n")
