#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seconds that searches take over layers and devices: search_scaling.py BUILD [--plots FOLDER] [--quick]

GPTs of GPT-3's width, their whole training step (adam, a sequence for every two devices, 8 microbatches, 80 GB a device),
no layers forced equal: until the plan is proved within 1 % on one mesh of boxes times eight; `recursive-cuts` times the
other mode. Then exact dynamic programming on few layers and eight devices. `--plots` writes search-layers.svg and
search-devices.svg. The machine should do nothing else.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from plot import plot

# Measured on two cores as well, with MindSpore 2.10.0 and Meta's autoparallel (linear programming, width 6,144, 32×8).
RECURSIVE_PEER = [(12, 0.12), (24, 0.30), (48, 0.90), (96, 5.1)]
LINEAR_PROGRAMMING_PEER = [(1, 25), (4, 44), (32, 84), (96, 164)]
TRAINING = ["--loss=softmax_cross_entropy", "--optimizer=adam,lr=0.001", "--memory-limit=80000000000"]


class Bench:
    def __init__(self, build, folder):
        self.pcc, self.folder = build / "bin/pcc", Path(folder)

    def search(self, layers, devices, microbatches, *flags):
        model = self.folder / f"{layers}-{devices}.mlir"
        if not model.exists():
            subprocess.run([self.pcc, "example", "gpt3", "--set", f"layers={layers}", "--set", f"batch={devices // 2}",
                            "-o", model], check=True)
        command = [self.pcc, "search", model, *TRAINING, f"--device-num={devices}", f"--micro-batches={microbatches}",
                   "--format=json", *flags]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            print(run.stderr.strip().splitlines()[-1], file=sys.stderr)
            return None
        return json.loads(run.stdout)

    def proved(self, layers, devices):
        """Seconds, and the gap that is proved, of the mesh of boxes of eight."""
        pins = self.folder / f"{devices}.textproto"
        pins.write_text(f'mesh: "dp={devices // 8}, tp=8"\n' if devices > 8 else 'mesh: "tp=8"\n')
        found = self.search(layers, devices, 8, f"--constraints={pins}", f"--cluster={devices // 8}x8xH100", "--constraint-time-limit=0",
                            "--auto-parallel-search-mode=best", "--gap=0.01", "--time-limit=60")
        return found and (found["seconds"], 1 - found["bound"] / found["cost"])

    def row(self, layers, devices):
        proved = self.proved(layers, devices)
        print(f"| {layers} | {devices} | {proved[0]:.2f} | {100 * proved[1]:.2f} % |" if proved
              else f"| {layers} | {devices} | none fits | |", flush=True)
        return proved and proved[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--plots", type=Path)
    parser.add_argument("--quick", action="store_true", help="few and small ones")
    options = parser.parse_args()
    depths = [4, 8] if options.quick else [12, 24, 48, 96]
    widths = [64, 128] if options.quick else [128, 256, 512, 1024]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, folder)
        print("| layers | devices | s to 1 % | gap |\n| --- | --- | --- | --- |")
        by_depth = {layers: bench.row(layers, widths[-1]) for layers in depths}
        by_width = {devices: bench.row(depths[-1], devices) for devices in widths[:-1]}
        by_width[widths[-1]] = by_depth[depths[-1]]
        print("\n| layers | devices | dynamic programming s |\n| --- | --- | --- |")
        for layers in [1, 2] if options.quick else [1, 2, 4]:
            pins = Path(folder, "8.textproto")
            pins.write_text('mesh: "tp=8"\n')
            found = bench.search(layers, 8, 1, f"--constraints={pins}", "--cluster=8xH100", "--constraint-time-limit=0",
                                 "--auto-parallel-search-mode=dynamic_programming", "--time-limit=60")
            print(f"| {layers} | 8 | {found['seconds']:.3f} |" if found else f"| {layers} | 8 | none fits |", flush=True)
    if options.plots:
        def lines(rows):
            return {"proved within 1 %": [(x, y) for x, y in sorted(rows.items()) if y]}
        plot(options.plots / "search-layers.svg", f"Layers of GPT-3's width, {widths[-1]} devices", "layers", "seconds",
             lines(by_depth) | {"MindSpore, recursive, 512": RECURSIVE_PEER,
                                "autoparallel, 256": LINEAR_PROGRAMMING_PEER})
        plot(options.plots / "search-devices.svg", f"{depths[-1]} layers of GPT-3's width", "devices", "seconds",
             lines(by_width))


if __name__ == "__main__":
    main()
