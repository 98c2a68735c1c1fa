#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans for models that torch exports: exported_plans.py BUILD FOLDER [--python PYTHON] [--row NAME]... [--seconds N]

What `pcc plan` finds in a minute for large models of transformers in bf16, with Adam, on 8 to 1,024 devices. FOLDER keeps
the exports, which need no weights (peers/weightless_exports.py); PYTHON has torch, transformers, onnx and onnxscript. Every
plan is compiled to instructions that are proved free of deadlocks, and simulated.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

# Model, boxes of 8 devices, device, samples of a step.
ROWS = [
    ("gpt2-xl", 1, "A100", 64),
    ("gpt2-xl", 8, "H100", 512),
    ("llama2-7b", 2, "H100", 64),
    ("llama2-7b", 16, "H100", 1024),
    ("llama2-13b", 2, "H100", 64),
    ("llama2-13b", 8, "H100", 512),
    ("llama2-70b", 8, "H100", 128),
    ("llama2-70b", 128, "H100", 1024),
    ("vit-22b", 8, "H100", 1024),
    ("vit-22b", 128, "A100", 4096),
    ("t5-11b", 4, "A100", 256),
    ("t5-11b", 32, "H100", 1024),
]


def plan(pcc, path, cluster, batch, seconds):
    """The answer of `pcc plan` as its JSON, the seconds that it took, and its most bytes of memory."""
    with subprocess.Popen([pcc, "plan", path, f"--set-dim=batch={batch}", "--loss=softmax_cross_entropy",
                           "--optimizer=adamw,lr=1e-4", f"--cluster={cluster}", f"--time-limit={seconds}", "--quiet",
                           "--format=json"], stdout=subprocess.PIPE, text=True) as run:
        output = run.stdout.read()
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    answer = json.loads(output) if run.returncode == 0 else None
    return answer, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--row", action="append", choices=sorted({row[0] for row in ROWS}))
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    rows = [row for row in ROWS if not options.row or row[0] in options.row]
    missing = sorted({row[0] for row in rows if not (options.folder / f"{row[0]}.onnx").exists()})
    if missing:
        exporter = Path(__file__).parent / "peers/weightless_exports.py"
        subprocess.run([options.python, exporter, options.folder, *missing], check=True, stderr=subprocess.DEVNULL)
    print("| model | devices | batch | plan | step ms | bound ms | gap % | memory GB | MFU % | search s | search MB |")
    print("| --- " * 11 + "|")
    for name, boxes, device, batch in rows:
        cluster = f"{boxes}x8x{device}"
        answer, memory = plan(options.build / "bin/pcc", options.folder / f"{name}.onnx", cluster, batch, options.seconds)
        if answer is None:
            print(f"| {name} | {cluster} | {batch} | none |" + " |" * 7, flush=True)
            continue
        best, bound = answer["plans"][0], answer["bound_seconds"]
        step = best["step_seconds"]
        cells = [name, cluster, batch, best["plan"], f"{step * 1e3:.1f}", f"{bound * 1e3:.1f}", f"{100 * (step / bound - 1):.0f}",
                 f"{best['peak_bytes'] / 1e9:.1f}", f"{100 * best['mfu']:.1f}", f"{answer['seconds']:.0f}", f"{memory / 1e6:.0f}"]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
