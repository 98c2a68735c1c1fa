# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a program finds NVIDIA's libraries on a machine that may have them as packages of Python alone."""

import importlib.util
import os
from pathlib import Path


def environment(first=None):
    """This process's environment with the folder `first` before the system's folders of libraries, and behind those the
    folders of NVIDIA's packages that this Python has."""
    packages = importlib.util.find_spec("nvidia")
    folders = [] if packages is None else [folder for place in packages.submodule_search_locations
                                           for folder in sorted(Path(place).glob("*/lib"))]
    paths = [first, os.environ.get("LD_LIBRARY_PATH"), *folders]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(str(path) for path in paths if path)}
