# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the largest relative difference between the losses of two runs: compare_losses.py REPORT REPORT LIMIT.

Reports are outputs of `pcc run --format=json`. Exits with 1 above the limit, or if the numbers of steps differ.
"""

import json
import sys
from pathlib import Path


def losses(path):
    return [step["loss"] for step in json.loads(Path(path).read_text())["steps"]]


def main():
    first, second, limit = losses(sys.argv[1]), losses(sys.argv[2]), float(sys.argv[3])
    if len(first) != len(second):
        print(f"{len(first)} steps beside {len(second)}")
        return 1
    largest = max(abs(a - b) / abs(b) for a, b in zip(first, second))
    print(f"{len(first)} steps, largest difference {largest:.1e}")
    return largest > limit


if __name__ == "__main__":
    sys.exit(main())
