# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the shell commands of the documentation: run_docs.py ROOT SCRATCH.

A page's blocks marked ```sh run in order, in one new folder with a link to examples/. The first block that fails is
printed with its output. Pages without such blocks are skipped.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(root, page, scratch):
    """Returns the number of blocks that succeeded, and of all blocks."""
    blocks = BLOCK.findall(page.read_text())
    folder = scratch / page.relative_to(root).with_suffix("")
    folder.mkdir(parents=True)
    (folder / "examples").symlink_to(root / "examples")
    for done, block in enumerate(blocks):
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if run.returncode:
            print(f"{page}: exit code {run.returncode} from\n{block}{run.stdout}")
            return done, len(blocks)
    return len(blocks), len(blocks)


def main():
    root, scratch = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(scratch, ignore_errors=True)
    pages = [root / "README.md", *sorted(root.glob("docs/**/*.md")), *sorted(root.glob("examples/*/README.md"))]
    failed = False
    for page in pages:
        if page.exists() and BLOCK.search(page.read_text()):
            done, total = run_page(root, page, scratch)
            print(f"{page.relative_to(root)}: {done} of {total} blocks ran")
            failed |= done != total
    return failed


if __name__ == "__main__":
    sys.exit(main())
