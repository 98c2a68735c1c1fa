# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the peers share: the network, the data, and how a step is timed."""

import argparse
import json
import statistics
import time

SIZES = (784, 512, 512, 10)
RATE = 0.01
BATCHES = (32, 4096)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a tenth of the steps")
    return parser.parse_args()


def steps_of(batch, quick):
    """Timed steps: a few seconds' worth."""
    steps = 400 if batch == 32 else 40
    return max(steps // 10, 5) if quick else steps


def measure(step, steps):
    """Milliseconds of step(): the fastest and the median of so many. `step` returns when its work is done."""
    for _ in range(3):
        step()
    seconds = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - start)
    return {"min_ms": 1e3 * min(seconds), "median_ms": 1e3 * statistics.median(seconds)}


def first_call(step):
    """Seconds of the first call, which compiles."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def print_rows(rows):
    print(json.dumps(rows, indent=2))
