# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the losses of two hosts (two_hosts.py) with those of one process: compare_hosts.py LOCAL HOSTS LEAST_SECONDS

The losses must be equal, and a step over the link must take LEAST_SECONDS. Without hosts it prints the reason.
"""

import json
import sys
from pathlib import Path


def main():
    local, hosts, least = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    text = hosts.read_text()
    if text.startswith("two_hosts:"):
        print(f"no hosts: {text.strip()}")
        return
    one, two = json.loads(local.read_text()), json.loads(text)
    if one["steps"] != two["steps"]:
        sys.exit(f"compare_hosts: expected {one['steps']}, got {two['steps']}")
    seconds = two["step_seconds"]["min"]
    if seconds < least:
        sys.exit(f"compare_hosts: expected steps of {least} s at least, got {seconds}")
    print(f"two hosts: {len(two['steps'])} losses, the same bits, a step takes {seconds:.3f} s")


if __name__ == "__main__":
    main()
