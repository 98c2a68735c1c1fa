# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds NVIDIA's libraries, also on machines that have them only as Python packages."""

import importlib.util
import os
from pathlib import Path


def environment(first=None):
    """Returns this process's environment with a longer library path: the folder `first`, the present path, then the
    folders of NVIDIA's Python packages."""
    packages = importlib.util.find_spec("nvidia")
    folders = [] if packages is None else [folder for place in packages.submodule_search_locations
                                           for folder in sorted(Path(place).glob("*/lib"))]
    paths = [first, os.environ.get("LD_LIBRARY_PATH"), *folders]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(str(path) for path in paths if path)}
