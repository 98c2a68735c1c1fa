#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searched plans beside those that people write: plans.py BUILD [--family NAME]... [--devices N]...

For each model family and number of H100s in boxes of eight, the predicted milliseconds of a step of the plan that
`pcc search` finds, its bound, and those of three plans that are given as pins, priced by the same model: data parallel
alone (every parameter whole), tensor parallel alone (as many ranks as the heads or experts allow, the rest repeating),
and the expert's plan, both together with the tensor parallel ranks in one box. What pins leave open, searches fill in; so
a given plan is at least as good here as its author's.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TRANSFORMER = ["layers=4", "width=2048", "heads=32", "sequence=1024"]
FAMILIES = {  # name: (example, sizes, batch per device, loss, kind of constraints, ranks of tensor parallelism)
    "mlp": ("mlp", ["width=8192"], 64, "softmax_cross_entropy", "mlp", 8),
    "resnet18": ("resnet", ["image=224"], 8, "softmax_cross_entropy", "resnet", 8),
    "resnet50": ("resnet", ["image=224", "depth=50"], 8, "softmax_cross_entropy", "resnet", 8),
    "gpt": ("gpt", TRANSFORMER + ["vocabulary=32768"], 1, "softmax_cross_entropy", "language", 8),
    "llama": ("llama", TRANSFORMER + ["vocabulary=32768"], 1, "softmax_cross_entropy", "language", 8),
    "bert": ("bert", TRANSFORMER + ["vocabulary=32768"], 1, "softmax_cross_entropy", "transformer", 8),
    "vit": ("vit", ["layers=4", "width=2048", "heads=32"], 8, "softmax_cross_entropy", "transformer", 8),
    "moe": ("moe", ["width=2048", "sequence=1024", "experts=8"], 1, "mse", "moe", 8),
}
TENSOR = {  # the columns of the first matmul of a pair and the rows of the second over tp; the batch over dp
    "mlp": [
        ('parameter: "layer1\\\\.weight"', '"[tp, _]"'),
        ('parameter: "layer2\\\\.weight"', '"[_, tp]"'),
    ],
    "resnet": [('parameter: "layer4.*conv1\\\\.weight"', '"[tp, _, _, _]"'),
               ('parameter: "layer4.*conv2\\\\.weight"', '"[_, tp, _, _]"')],
    "transformer": [
        ('parameter: ".*(q|k|v|fc|gate|up)\\\\.weight"', '"[tp, _]"'),
        ('parameter: ".*(proj|out|o|down)\\\\.weight"', '"[_, tp]"'),
    ],
    "moe": [('parameter: "w[12]"', '"[tp, _, _]"')],
}
TENSOR["language"] = TENSOR["transformer"] + [('parameter: "(wte|embed|head)\\\\.weight"', '"[tp, _]"')]


def list_tensors(model, pattern):
    """(name, rank) of what `pattern` finds in the text of a model: its groups `name` and `shape`."""
    return [(found["name"], found["shape"].count("x")) for found in re.finditer(pattern, model.read_text())]


def whole(model):
    """Every rank holds all of each parameter."""
    found = list_tensors(model, r'graph\.parameter @"?(?P<name>[\w.]+)"? : tensor<(?P<shape>[\dx]+)')
    return [f'constraint {{ parameter: "{re.escape(name)}" sharding: "[{", ".join("_" * rank)}]" }}'.replace("\\", "\\\\")
            for name, rank in found]


def batch(model):
    """Every input is cut along its first dimension."""
    found = list_tensors(model, r'tensor<(?P<shape>[\dx]+)\w+> \{graph\.role = #graph\.role<input "(?P<name>[^"]+)">')
    return [f'constraint {{ input: "{name}" sharding: "[dp{", _" * (rank - 1)}]" }}' for name, rank in found]


def pins(mesh, lines):
    return "\n".join([f'mesh: "{mesh}"', *lines]) + "\n"


def given(model, kind, devices, ranks):
    """The plans that people write, as pins by name."""
    cut = batch(model)
    tensor = [f"constraint {{ {what} sharding: {how} }}" for what, how in TENSOR[kind]]
    plans = {"data": pins(f"dp={devices}", whole(model) + cut)}
    if devices == ranks:
        plans["tensor"] = plans["expert"] = pins(f"tp={ranks}", tensor)
    else:
        plans["tensor"] = pins(f"rest={devices // ranks}, tp={ranks}", tensor)
        plans["expert"] = pins(f"dp={devices // ranks}, tp={ranks}", tensor + cut)
    return plans


def search(pcc, model, loss, devices, seconds, extra=()):
    """(milliseconds, bound) of the best plan; nothing if none fits or the pins do."""
    command = [pcc, "search", model, f"--loss={loss}", "--optimizer=adam,lr=0.001", f"--device-num={devices}",
               f"--cluster={devices // 8}x8xH100", "--auto-parallel-search-mode=best", f"--time-limit={seconds}",
               "--format=json", *extra]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        print(run.stderr.strip().splitlines()[-1], file=sys.stderr)
        return None
    answer = json.loads(run.stdout)
    return answer["cost"] * 1e3, answer["bound"] * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--devices", action="append", type=int)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    pcc = options.build / "bin/pcc"
    print("| family | devices | searched ms | bound | data | tensor | expert |\n| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.family or FAMILIES:
            example, sizes, batch, loss, kind, ranks = FAMILIES[name]
            for devices in options.devices or (8, 64, 512):
                model = Path(folder, f"{name}.mlir")
                flags = [f"--set={size}" for size in [*sizes, f"batch={batch * devices}"]]
                subprocess.run([pcc, "example", example, "-o", model, *flags], check=True)
                best = search(pcc, model, loss, devices, options.seconds)
                row = [f"{best[0]:.3f}", f"{best[1]:.3f}"] if best else ["none fits", ""]
                for plan, text in given(model, kind, devices, ranks).items():
                    file = Path(folder, f"{plan}.textproto")
                    file.write_text(text)
                    cost = search(pcc, model, loss, devices, options.seconds, [f"--constraints={file}"])
                    row.append(f"{cost[0]:.3f} ({cost[0] / best[0]:.2f})" if cost and best else "none fits")
                print("| " + " | ".join([name, str(devices), *row]) + " |", flush=True)


if __name__ == "__main__":
    main()
