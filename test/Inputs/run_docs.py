# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the shell commands of the documentation: run_docs.py ROOT SCRATCH [PAGE…], by default all pages.

A page's blocks marked ```sh run in order, in one new folder with a link to examples/. The first block that fails is
printed with its output. Pages without such blocks are skipped.

Blocks marked ```sh torch run only if the virtual environment of test/models/compare-models, or else the python3 in
PATH, has torch. A block marked ```text is compared with the output of the block before it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(sh|sh torch|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
TOLERANCE = 2e-2  # of a number; a loss of bf16 differs by 1 % from CPU to CPU


def find_torch(root):
    """Returns the environment of blocks that need torch, or None without torch."""
    venv = root / os.environ.get("PCC_MODELS_VENV", ".venv-models")
    environment = {**os.environ, "PATH": f"{venv}/bin:{os.environ['PATH']}"}
    code = "import numpy, onnx, onnxscript, safetensors, torch"
    run = subprocess.run(["python3", "-c", code], env=environment, capture_output=True, check=False)
    return environment if run.returncode == 0 else None


def is_close(expected, found):
    a, b = float(expected), float(found)
    return expected == found or ("." in expected and abs(a - b) <= TOLERANCE * abs(a))


def is_same(expected, found):
    """Compares two lines. Fractions may differ by the tolerance, spaces do not count, a final `…` is any text."""
    expected, found = expected.split(), found.split()
    if expected[-1:] == ["…"]:
        expected.pop()
        found = found[: len(expected)]
    expected, found = " ".join(expected), " ".join(found)
    pairs = list(zip(NUMBER.findall(expected), NUMBER.findall(found)))
    return NUMBER.sub("0", expected) == NUMBER.sub("0", found) and all(is_close(a, b) for a, b in pairs)


def find_missing(block, output):
    """Returns the first line of `block` that `output` lacks, in the order of the block; a line `…` is any lines."""
    lines = iter(output.splitlines())
    for expected in block.splitlines():
        if expected.strip() not in ("", "…") and not any(is_same(expected, found) for found in lines):
            return expected
    return None


def run_page(root, page, scratch, torch):
    """Returns the number of blocks that succeeded, of all blocks, and of those left out without torch."""
    blocks = BLOCK.findall(page.read_text())
    total = sum(kind != "text" for kind, _ in blocks)
    folder = scratch / page.relative_to(root).with_suffix("")
    folder.mkdir(parents=True)
    (folder / "examples").symlink_to(root / "examples")
    done = left_out = 0
    output = None
    for kind, block in blocks:
        if kind == "text":
            missing = None if output is None else find_missing(block, output)
            if missing is not None:
                print(f"{page}: expected the line\n{missing}\nin the output\n{output}")
                return done - 1, total, left_out
            continue
        if kind == "sh torch" and torch is None:
            output, left_out, done = None, left_out + 1, done + 1
            continue
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=torch if kind == "sh torch" else None, check=False)
        output = run.stdout
        if run.returncode:
            print(f"{page}: exit code {run.returncode} from\n{block}{output}")
            return done, total, left_out
        done += 1
    return done, total, left_out


def main():
    root, scratch = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(scratch, ignore_errors=True)
    pages = [root / "README.md", *sorted(root.glob("docs/**/*.md")), *sorted(root.glob("examples/*/README.md"))]
    if len(sys.argv) > 3:
        pages = [root / page for page in sys.argv[3:]]
    torch = find_torch(root)
    failed = False
    for page in pages:
        if page.exists() and BLOCK.search(page.read_text()):
            done, total, left_out = run_page(root, page, scratch, torch)
            remark = f", {left_out} of them left out without torch" if left_out else ""
            print(f"{page.relative_to(root)}: {done} of {total} blocks ran{remark}", flush=True)
            failed |= done != total
    return failed


if __name__ == "__main__":
    sys.exit(main())
