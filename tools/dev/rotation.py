# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The number by which tests choose their samples, which changes from commit to commit."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_git(*arguments):
    """Returns what git prints; an empty text without git or outside a repository."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit_number():
    """Returns the number of commits up to the present one, so that commits in a row have numbers in a row. Returns a number
    of the tree's hash if the history is not there, and 0 without git."""
    if run_git("rev-parse", "--show-toplevel") != str(ROOT):
        return 0
    if run_git("rev-parse", "--is-shallow-repository") == "true":
        return int(run_git("rev-parse", "HEAD^{tree}")[:6], 16)
    return int(run_git("rev-list", "--count", "HEAD") or 0)
