# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py in pcc, on one rank with all cores and on 8 ranks: `pcc_models.py BUILD [--quick]`."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import models

build, quick = Path(sys.argv[1]), "--quick" in sys.argv
pcc = build / "bin/pcc"
training = ["--loss=softmax_cross_entropy", f"--optimizer=momentum,lr={models.RATE},momentum={models.MOMENTUM}"]


def run(*arguments):
    return subprocess.run([pcc, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def measure(name, sizes, devices, folder):
    model, program = folder / f"{name}.mlir", folder / f"{name}.pcx"
    run("example", name, "-o", model, *(f"--set={key}={value}" for key, value in sizes.items()))
    ranks = [f"--device-num={devices}", "--parallel-mode=data_parallel", "--gradients-mean"] if devices > 1 else []
    start = time.perf_counter()
    run("compile", model, "-o", program, *training, *ranks)
    compile_seconds = time.perf_counter() - start
    steps = models.steps_of(name, quick) + 3
    report = json.loads(run("run", program, f"--data=synthetic:{4 * sizes['batch']}", f"--steps={steps}",
                            f"--epochs={steps}", "--format=json"))["step_seconds"]
    return {"who": "pcc", "model": name, "devices": devices, "compile_s": compile_seconds,
            "min_ms": 1e3 * report["min"], "median_ms": 1e3 * report["median"]}


with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch)
    print(json.dumps([measure(name, sizes, devices, folder)
                      for name, sizes in (("gpt", models.GPT), ("resnet", models.RESNET)) for devices in (1, 8)],
                     indent=2))
