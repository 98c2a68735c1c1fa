# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the project's own files: those in git or, without git, all that no build made."""

import fnmatch
import os
import subprocess
from pathlib import Path

# Folders that .gitignore names, for a tree without git.
IGNORED = ("build*", "out", ".venv*", ".git", "__pycache__")


def files(root, *patterns):
    """Returns the sorted paths relative to `root` that match a pattern (fnmatch, in which `*` crosses folders)."""
    paths = repository(root)
    paths = walk(root) if paths is None else paths
    return [Path(path) for path in sorted(paths)
            if any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns) and Path(root, path).is_file()]


def repository(root):
    """Returns the files that git tracks or does not ignore; None if `root` is not the top of a git repository."""
    if not Path(root, ".git").exists():
        return None
    try:
        run = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return set(run.stdout.splitlines()) if run.returncode == 0 else None


def walk(root):
    """Yields every file below `root` outside ignored folders."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if not any(fnmatch.fnmatchcase(name, i) for i in IGNORED)]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)
