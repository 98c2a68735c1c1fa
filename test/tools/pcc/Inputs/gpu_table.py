# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints bench/gpu/run's table for handmade figures: `gpu_table.py FOLDER`."""

import importlib.machinery
import importlib.util
import sys

loader = importlib.machinery.SourceFileLoader("run", sys.argv[1] + "/run")
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)
timed = next(timed for timed in run.models.GPU if timed.name == "mlp.bf16")
rows = [{"who": who, "model": timed.name, "median_ms": median, "min_ms": median - 1, "compile_s": seconds}
        for who, median, seconds in (("pcc", 10, 0.5), ("torch", 15, 2))]
run.print_table([*rows, {"who": "peak", "gpu": "a GPU", "tflops": 800}], [timed])
