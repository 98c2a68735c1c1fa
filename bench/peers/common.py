# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the peers share: the small network, the data, and how a step is timed."""

import argparse
import json
import statistics
import time

import models

SIZES = (784, 512, 512, 10)
RATE = 0.01
BATCHES = (32, 4096)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a tenth of the steps")
    parser.add_argument("--gpu", action="store_true", help="on the GPU, with the models for it")
    parser.add_argument("--only", default="", help="these models alone, as in --only=gpt.bf16,mlp.tf32")
    return parser.parse_args()


def chosen_models(options):
    only = options.only.split(",") if options.only else []
    return [timed for timed in (models.GPU if options.gpu else models.HOST) if not only or timed.name in only]


def steps_of(batch, quick):
    """Timed steps: a few seconds' worth, as many as bench/StepTime.cpp takes."""
    steps = 400 if batch == 32 else 40
    return max(steps // 10, 5) if quick else steps


def measure(step, steps, wait=lambda: None, together=1):
    """Milliseconds of step(): the fastest and the median of `steps` times. What a step leaves to a device is waited for by
    `wait`, after `together` steps, whose mean is one time. pcc has as many times of single steps, its first steps
    included: a minimum falls with their number."""
    for _ in range(3):
        step()
    wait()
    seconds = []
    for _ in range(steps):
        start = time.perf_counter()
        for _ in range(together):
            step()
        wait()
        seconds.append((time.perf_counter() - start) / together)
    return {"min_ms": 1e3 * min(seconds), "median_ms": 1e3 * statistics.median(seconds)}


def first_call(step, wait=lambda: None):
    """Seconds of the first call, which compiles."""
    start = time.perf_counter()
    step()
    wait()
    return time.perf_counter() - start


def print_rows(rows):
    print(json.dumps(rows, indent=2))
