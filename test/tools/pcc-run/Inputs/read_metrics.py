# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads files of --metrics-file, line by line as strict JSON.

  read_metrics.py FILE                        prints the keys and the steps; fails unless each step stands once, in order
  read_metrics.py FILE --losses               prints "step STEP, epoch EPOCH: LOSS" for each line
  read_metrics.py FILE --kill N COMMAND…      runs the command, kills it when the file has N lines, then reads the file
"""

import json
import math
import signal
import subprocess
import sys
import time
from pathlib import Path


def refuse(name):
    raise ValueError(f"not JSON: {name}")


def read(path):
    text = Path(path).read_text()
    assert not text or text.endswith("\n"), f"the last line is not whole: {text[-80:]!r}"
    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


def kill(path, lines, command):
    """Kills the command when the file has so many lines."""
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while run.poll() is None and (not Path(path).exists() or Path(path).read_bytes().count(b"\n") < lines):
        time.sleep(0.002)
    assert run.poll() is None, "the command ended by itself"
    run.send_signal(signal.SIGKILL)
    run.wait()


def check(records):
    """Checks what holds for each record."""
    for record in records:
        if "seconds" in record:
            rate = record["samples_per_second"] * record["seconds"]
            assert record["seconds"] > 0 and math.isclose(rate, round(rate), rel_tol=1e-6), record
        if "memory" in record:
            assert record["memory"] >= record["memory_live"] > 0 and record["data_wait"] >= 0, record
            assert record.get("communication_wait", 1) > 0, record  # absent on a GPU
    times = [record["time"] for record in records]
    assert times == sorted(times) and times[0] > 1.6e9, times


def main():
    path, *options = sys.argv[1:]
    if options[:1] == ["--kill"]:
        kill(path, int(options[1]), options[2:])
    records = read(path)
    check(records)
    if options == ["--losses"]:
        for record in records:
            print(f"step {record['step']}, epoch {record['epoch']}: {record['loss']}")
        return
    steps = [record["step"] for record in records if "seconds" in record]
    assert steps == list(range(steps[0], steps[0] + len(steps))), steps
    print("keys:", *records[0])
    print("whole lines" if options else f"steps {steps[0]} to {steps[-1]}")


main()
