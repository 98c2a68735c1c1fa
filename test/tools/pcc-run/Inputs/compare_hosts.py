# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what two hosts printed (two_hosts.py) with what one process did: compare_hosts.py LOCAL HOSTS LEAST_SECONDS

The losses must be the same, and a step over the link take LEAST_SECONDS. Where there were no hosts it prints why.
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
