# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project's own files: those of the git repository, or, in a tree without one, all that no build made."""

import fnmatch
import os
import subprocess
from pathlib import Path

# Folders that .gitignore names, for a tree without git.
IGNORED = ("build*", "out", ".venv*", ".git", "__pycache__")


def files(root, *patterns):
    """Paths relative to `root` that match one of the patterns (fnmatch, in which `*` crosses folders), sorted."""
    paths = repository(root)
    paths = walk(root) if paths is None else paths
    return [Path(path) for path in sorted(paths)
            if any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns) and Path(root, path).is_file()]


def repository(root):
    """Files under version control, or new and not ignored; None if `root` is not the top of a repository that git reads."""
    if not Path(root, ".git").exists():
        return None
    try:
        run = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return set(run.stdout.splitlines()) if run.returncode == 0 else None


def walk(root):
    """Every file below `root` but those in ignored folders."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if not any(fnmatch.fnmatchcase(name, i) for i in IGNORED)]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)
