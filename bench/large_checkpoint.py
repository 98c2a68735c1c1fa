#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Saves and loads the checkpoint of a large GPT, and measures seconds and the memory of each process, and how long
training waits for a checkpoint that is written beside it:

  bench/large_checkpoint.py BUILD FOLDER [--layers=24] [--width=2048] [--processes=2] [--optimizer=sgd,lr=0.001]
                            [--beside] [--threads=0]

Each process of mpirun is a rank of data parallel training with a sharded optimizer of level 3, so it holds its share of
the state.
The disk's rates are those of one file of the same bytes, written with fsync and read without the system's cache. FOLDER
needs space for twice the state. --beside trains twelve steps with checkpoints after every third. These need memory for
a copy of the state. --threads are those of all ranks together; with fewer than there are cores, the threads that write
have a core of their own.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

CHUNK = bytes(64 << 20)
# Runs a command and prints the most bytes that it held, as the last line of stderr.
MEASURE = """import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(f"peak of a rank: {peak}", file=sys.stderr, flush=True)
sys.exit(code)"""


def forget(path):
    """Drops a file from the system's cache."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def disk_seconds(path, size):
    """Returns the seconds to write and to read `size` bytes."""
    begin = time.monotonic()
    with open(path, "wb", buffering=0) as file:
        for offset in range(0, size, len(CHUNK)):
            file.write(CHUNK[:size - offset])
        os.fsync(file.fileno())
    written = time.monotonic() - begin
    forget(path)
    begin = time.monotonic()
    with open(path, "rb", buffering=0) as file:
        while file.read(len(CHUNK)):
            pass
    read = time.monotonic() - begin
    path.unlink()
    return written, read


def copy_seconds(size):
    """Returns the seconds to copy `size` bytes in memory."""
    source, target = bytearray(size), bytearray(size)
    target[:] = source  # the pages exist
    begin = time.monotonic()
    target[:] = source
    return time.monotonic() - begin


class Watch(threading.Thread):
    """Times how long a checkpoint has its temporary name."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.seconds, self.done = folder, 0.0, False

    def run(self):
        begin = None
        while not self.done:
            is_writing = any(self.folder.glob("*.part"))
            if is_writing and begin is None:
                begin = time.monotonic()
            if not is_writing and begin is not None:
                self.seconds, begin = time.monotonic() - begin, None
            time.sleep(0.02)


class Bench:
    def __init__(self, options):
        self.options, self.bin = options, options.build / "bin"
        self.program, self.saved = options.folder / "gpt.pcx", options.folder / "saved"
        options.folder.mkdir(parents=True, exist_ok=True)

    def call(self, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")
        return done.stdout + done.stderr

    def compile(self):
        options, model = self.options, self.options.folder / "gpt.mlir"
        sizes = {"layers": options.layers, "width": options.width, "heads": options.width // 128, "vocabulary": 50304,
                 "sequence": 32, "batch": options.processes}
        self.call(self.bin / "pcc", "example", "gpt2", *[f"--set={key}={size}" for key, size in sizes.items()], "-o", model)
        self.call(self.bin / "pcc", "compile", model, "--loss=softmax_cross_entropy", f"--optimizer={options.optimizer}",
                  f"--device-num={options.processes}", "--parallel-mode=data_parallel", "--gradients-mean",
                  "--enable-parallel-optimizer", "--parallel-optimizer-level=3", "-o", self.program)

    def train(self, *flags):
        """Returns what all processes print, and the seconds."""
        begin = time.monotonic()
        text = self.call("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", self.options.processes, sys.executable, "-c", MEASURE,
                         self.bin / "pcc-run", self.program, "--data=synthetic:64", "--log-every=1",
                         f"--threads={self.options.threads}", *flags)
        return text, time.monotonic() - begin

    def stall(self):
        """Returns the seconds that a step takes, and those that each step behind a checkpoint takes longer."""
        records = self.options.folder / "records.jsonl"
        records.unlink(missing_ok=True)
        self.saved = self.options.folder / "beside"
        self.train("--steps=12", f"--checkpoint={self.saved}", "--checkpoint-every=3", f"--metrics-file={records}")
        times = [json.loads(line)["time"] for line in records.read_text().splitlines()]
        spans = [after - before for before, after in zip(times, times[1:])]  # spans[i] ends with step i + 2
        behind = spans[2::3]
        others = statistics.median([span for index, span in enumerate(spans) if index % 3 != 2])
        return others, [span - others for span in behind]

    def state_bytes(self):
        """Returns the bytes of all files of the checkpoint, and of the first rank's."""
        last = max(self.saved.glob("step-*"))
        sizes = {path.name: path.stat().st_size for path in sorted(last.glob("*.safetensors"))}
        return sum(sizes.values()), next(iter(sizes.values()))


def peaks(text):
    return [int(peak) / 1e9 for peak in re.findall(r"peak of a rank: (\d+)", text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--optimizer", default="sgd,lr=0.001")
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--threads", type=int, default=0)
    bench = Bench(parser.parse_args())
    bench.compile()
    if bench.options.beside:
        step, stalls = bench.stall()
        _, first = bench.state_bytes()
        print(json.dumps({
            "a step": round(step, 3), "longer behind each checkpoint": [round(stall, 3) for stall in stalls],
            "a copy of the first rank's state": round(copy_seconds(first), 3)}, indent=1))
        return
    alone, alone_seconds = bench.train("--steps=1")
    watch = Watch(bench.saved)
    watch.start()
    saving, _ = bench.train("--steps=1", f"--checkpoint={bench.saved}")
    watch.done = True
    total, first = bench.state_bytes()
    for path in bench.saved.glob("step-*/*"):
        forget(path)
    loading, loading_seconds = bench.train("--steps=1", f"--resume={bench.saved}")
    again, again_seconds = bench.train("--steps=2", f"--resume={bench.saved}")
    written, read = disk_seconds(bench.options.folder / "disk", total)
    print(json.dumps({
        "state GB": round(total / 1e9, 2), "state of rank 0 GB": round(first / 1e9, 2),
        "peak of ranks GB": {"training": peaks(alone), "saving": peaks(saving), "loading": peaks(loading),
                             "loading and training": peaks(again)},
        "seconds": {"save": round(watch.seconds, 1), "disk writes": round(written, 1), "load": round(loading_seconds, 1),
                    "disk reads": round(read, 1), "a step": round(alone_seconds, 1), "load and a step": round(again_seconds, 1)},
    }, indent=1))


if __name__ == "__main__":
    main()
