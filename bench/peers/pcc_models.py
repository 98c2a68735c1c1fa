# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py in pcc, on one rank with all cores and on 8 ranks: `pcc_models.py BUILD [--quick]`."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import models


def compile_model(pcc, timed, program, flags):
    """Seconds that the compiler takes from the model's file to the program's."""
    training = ["--loss=softmax_cross_entropy", f"--optimizer=momentum,lr={models.RATE},momentum={models.MOMENTUM}"]
    element = "bf16" if timed.type == "bf16" else "f32"
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch) / "model.mlir"
        sizes = [f"--set={key}={value}" for key, value in timed.sizes.items()]
        subprocess.run([pcc, "example", timed.model, f"--type={element}", *sizes, "-o", model], check=True)
        start = time.perf_counter()
        subprocess.run([pcc, "compile", model, "-o", program, *training, *flags], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start


def run_program(runner, program, timed, quick, environment=None):
    """The fastest and the median step in milliseconds, of as many as the peers take, on data that the host brings for each
    step."""
    steps = timed.steps_of(quick)
    done = subprocess.run([*runner, program, f"--data=synthetic:{4 * timed.sizes['batch']}", f"--steps={steps}",
                           f"--epochs={steps}", "--format=json"], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    seconds = json.loads(done.stdout)["step_seconds"]
    return {"min_ms": 1e3 * seconds["min"], "median_ms": 1e3 * seconds["median"]}


def measure(pcc, timed, devices, quick, folder):
    ranks = [f"--device-num={devices}", "--parallel-mode=data_parallel", "--gradients-mean"] if devices > 1 else []
    program = folder / f"{timed.name}.pcx"
    compile_seconds = compile_model(pcc, timed, program, ranks)
    return {"who": "pcc", "model": timed.name, "devices": devices, "compile_s": compile_seconds,
            **run_program([pcc, "run"], program, timed, quick)}


def main():
    pcc, quick = Path(sys.argv[1]) / "bin/pcc", "--quick" in sys.argv
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps([measure(pcc, timed, devices, quick, Path(scratch))
                          for timed in models.HOST for devices in (1, 8)], indent=2))


if __name__ == "__main__":
    main()
