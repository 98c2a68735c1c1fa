#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for an mpirun that misses the end of its only process. When it is started again, it ends well."""

import os
import time
from pathlib import Path

if Path("started").exists():
    print("started again")
else:
    Path("started").touch()
    if os.fork() == 0:
        os._exit(1)
    time.sleep(1000)
