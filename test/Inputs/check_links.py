# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the files that the documentation names exist: check_links.py ROOT.

Prints every broken link and every missing path in backquotes, then the number of checked ones. A path with `*` must
match a file.
"""

import glob
import re
import sys
from pathlib import Path

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)[^)]*\)")
QUOTED = re.compile(r"`((?:runtime|dialects|passes|compiler|tools|test|docs|examples|bench|cmake)/[\w./*-]*)`")

PAGES = ("README.md", "CONTRIBUTING.md", "docs", "examples", "bench")


def exists(path):
    """Returns whether the path leads to a file or folder; with `*`, whether it matches one."""
    if "*" not in str(path):
        return path.exists()
    return bool(glob.glob(str(path)))


def main():
    root = Path(sys.argv[1])
    seen = wrong = 0
    for page in [root / "README.md", root / "CONTRIBUTING.md", *sorted(root.glob("*/**/*.md"))]:
        if page.relative_to(root).parts[0] not in PAGES or not page.exists():
            continue
        text = FENCED.sub("", page.read_text())
        named = [(name, page.parent / name) for name in LINK.findall(text)]
        named += [(name, root / name) for name in QUOTED.findall(text)]
        for name, path in named:
            seen += 1
            if not exists(path):
                wrong += 1
                print(f"{page.relative_to(root)}: '{name}' leads nowhere")
    print(f"links: {seen} looked at, {wrong} lead nowhere")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
