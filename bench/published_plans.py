#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of pcc beside published ones: published_plans.py BUILD [--row NAME]... [--seconds N]

For GPTs whose parallel configurations the authors of Megatron-LM published, the step of their configuration and of the
plan that `pcc plan` finds for the same model, batch and machine. Both are compiled to instructions and simulated by the
same cost model. Theirs has their stages, tensor parallel ranks, samples a microbatch and virtual stages; pcc recomputes
as few of its values as memory requires, which is never slower than the full recomputation of rows A.

  A  Narayanan et al., SC 2021, table 1: A100 of 80 GB, 2,048 positions, a vocabulary of 51,200
  B  Megatron-Core's documentation: H100, 4,096 positions, a vocabulary of 131,072; it names no microbatch, so one sample
  C  Korthikanti et al., MLSys 2023, table 5: as A

Rows with more than 4,096 devices are left out, and those of 530B parameters, for time.
"""

import argparse
import dataclasses
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TRAIN = ["--loss=softmax_cross_entropy", "--optimizer=adam,lr=1e-4"]


@dataclasses.dataclass(frozen=True)
class Row:
    """A published configuration; `sample` is the samples of a microbatch on one data parallel rank."""

    layers: int
    width: int
    heads: int
    tensor: int
    stages: int
    devices: int
    batch: int
    sample: int
    virtual: int = 1
    device: str = "A100"

    @property
    def data(self):
        return self.devices // self.tensor // self.stages

    @property
    def cluster(self):
        return f"{self.devices // 8}x8x{self.device}"

    @property
    def sizes(self):
        sequence, vocabulary = (4096, 131072) if self.device == "H100" else (2048, 51200)
        return {"layers": self.layers, "width": self.width, "heads": self.heads, "sequence": sequence,
                "vocabulary": vocabulary, "batch": self.batch}


ROWS = {
    "A 1.7B": Row(24, 2304, 24, 1, 1, 32, 512, 16),
    "A 7.5B": Row(36, 4096, 32, 4, 1, 128, 512, 16),
    "A 39.1B": Row(48, 8192, 64, 8, 2, 512, 1536, 4),
    "A 145.6B": Row(80, 12288, 96, 8, 8, 1536, 2304, 2, 2),
    "B 1.7B": Row(24, 2048, 16, 1, 1, 48, 192, 1, device="H100"),
    "B 16B": Row(32, 6144, 48, 4, 1, 192, 192, 1, device="H100"),
    "B 70B": Row(84, 8192, 64, 8, 2, 768, 384, 1, device="H100"),
    "B 177B": Row(96, 12288, 96, 8, 6, 2304, 1152, 1, device="H100"),
    "C 22B": Row(48, 6144, 64, 8, 1, 8, 4, 4),
}


def megatron(row):
    """The constraints of Megatron-LM's tensor parallelism: columns, then rows; the table and the head by words."""
    data = "dp" if row.data > 1 else "_"
    mesh = ", ".join(f"{name}={size}" for name, size in (("dp", row.data), ("tp", row.tensor)) if size > 1)
    text = f'mesh: "{mesh}"\n'
    if row.tensor > 1:
        text += (f'constraint {{ op: "/h\\\\.\\\\d+/(attn/[qkv]|fc)/matmul" in: "[{data}, _, _], [tp, _]" }}\n'
                 f'constraint {{ op: "/h\\\\.\\\\d+/(attn/proj|out)/matmul" in: "[{data}, _, tp], [_, tp]" }}\n'
                 f'constraint {{ parameter: "wte\\\\.weight" sharding: "[tp, _]" }}\n'
                 f'constraint {{ op: "/head/matmul" in: "[{data}, _, _], [tp, _]" }}\n')
    if row.data > 1:
        text += f'constraint {{ input: "x" sharding: "[{data}, _]" }}\n'
    return text


def simulate(pcc, model, row, file):
    """(milliseconds, whether the optimizer is sharded), whichever is faster, of the published configuration; None if it
    does not fit."""
    file.write_text(megatron(row))
    flags = [f"--cluster={row.cluster}", f"--device-num={row.devices}", "--parallel-mode=semi_auto_parallel",
             f"--constraints={file}", "--micro-reduction=mean", "--columns=0",
             f"--memory-limit={80 * 10**9}", f"--micro-batches={row.batch // row.data // row.sample}"]
    if row.stages > 1:
        flags += [f"--pipeline-stages={row.stages}", "--pipeline-schedule=interleaved-1f1b" if row.virtual > 1
                  else "--pipeline-schedule=1f1b"]
    if row.virtual > 1:
        flags.append(f"--virtual-stages={row.virtual}")
    fitting = []
    for sharded in ([], ["--enable-parallel-optimizer"]):
        run = subprocess.run([pcc, "simulate", model, *TRAIN, *flags, *sharded], capture_output=True, text=True, check=False)
        found = re.search(r"^step: ([\d.]+) ms", run.stdout, re.MULTILINE)
        if found:
            fitting.append((float(found[1]), bool(sharded)))
        else:
            print(f"  {run.stderr.strip().splitlines()[-1][:200]}", file=sys.stderr)
    return min(fitting, default=None)


def plan(pcc, model, row, seconds):
    """The best plan of `pcc plan` as its JSON."""
    run = subprocess.run([pcc, "plan", model, *TRAIN, f"--cluster={row.cluster}", f"--time-limit={seconds}", "--format=json"],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"  {run.stderr.strip().splitlines()[-1][:200]}", file=sys.stderr)
        return None
    answer = json.loads(run.stdout)
    return {**answer["plans"][0], "bound": answer["bound_seconds"], "seconds": answer["seconds"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--row", action="append", choices=ROWS)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    pcc = options.build / "bin/pcc"
    print("| model | devices | published configuration | its step ms | plan of pcc | its step ms | ratio | memory GB | bound ms | search s |")
    print("| --- " * 10 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.row or ROWS:
            row = ROWS[name]
            model = Path(folder, "gpt.mlirbc")
            subprocess.run([pcc, "example", "gpt", "--type=bf16", *(f"--set={key}={size}" for key, size in row.sizes.items()),
                            "-o", model], check=True)
            theirs = simulate(pcc, model, row, Path(folder, "megatron.textproto"))
            ours = plan(pcc, model, row, options.seconds)
            own = f"DP {row.data} x TP {row.tensor} x PP {row.stages}" + (f" x {row.virtual}" if row.virtual > 1 else "")
            step = ours["step_seconds"] * 1e3 if ours else float("nan")
            cells = [name, row.devices, own + (", optimizer states cut" if theirs and theirs[1] else ""),
                     f"{theirs[0]:.1f}" if theirs else "does not fit", ours["plan"] if ours else "none", f"{step:.1f}",
                     f"{step / theirs[0]:.3f}" if theirs else "", f"{ours['peak_bytes'] / 1e9:.1f}" if ours else "",
                     f"{ours['bound'] * 1e3:.1f}" if ours else "", f"{ours['seconds']:.0f}" if ours else ""]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
