# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks model flops utilization against the flops of a model, on a machine of 1e13 flops per second for each device.

  model_flops.py RANKS FLOPS                reads the JSON of `pcc simulate`
  model_flops.py RANKS FLOPS METRICS.jsonl  reads the records of a run
FLOPS is a number, or `llama` for the model of the test.
"""

import json
import math
import sys

PEAK = 1e13


def llama(layers=2, width=64, vocabulary=96, batch=8, length=32):
    """Multiplications and additions of a step: forward, and twice that for the gradients."""
    tokens = batch * length
    feed_forward, key_value = 2 * width, width // 2
    projections = 2 * width * width + 2 * width * key_value
    matmuls = layers * (projections + 3 * width * feed_forward) + width * vocabulary
    attention = layers * 2 * (2 * tokens * length * width) // 2  # two products, causal
    return 3 * (2 * tokens * matmuls + attention)


def main():
    ranks, name, *files = sys.argv[1:]
    flops = llama() if name == "llama" else int(name)
    records = [json.loads(line) for line in open(files[0])] if files else [json.load(sys.stdin)]
    for record in records:
        found = record["mfu"] * record["seconds"] * int(ranks) * PEAK
        assert math.isclose(found, flops, rel_tol=1e-9), f"expected {flops} flops, got {found}"
        assert int(record.get("ranks", ranks)) == int(ranks), record["ranks"]


main()
