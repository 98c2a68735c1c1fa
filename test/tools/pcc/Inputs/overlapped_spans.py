#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that computation overlaps with collectives: overlapped_spans.py TRACE

A collective must be in flight at the same time on all its ranks, and collectives must follow one another.
"""

import json
import sys
from collections import defaultdict

LANES = {"compute": defaultdict(list), "communication": defaultdict(list)}

with open(sys.argv[1]) as file:
    events = json.load(file)
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
for event in events:
    if event["ph"] == "X" and (lane := LANES.get(names[event["pid"], event["tid"]])) is not None:
        lane[event["pid"]].append((event["ts"], event["ts"] + event["dur"]))

moves = [sorted(spans) for spans in LANES["communication"].values()]
near = lambda a, b: abs(a - b) < 0.01
alike = all(len(own) == len(moves[0]) and all(near(a, b) for x, y in zip(own, moves[0]) for a, b in zip(x, y)) for own in moves)
follow = all(before[1] <= after[0] + 0.01 for own in moves for before, after in zip(own, own[1:]))
under = sum(any(begin < start < end for start, _ in LANES["compute"][rank])
            for rank, own in LANES["communication"].items() for begin, end in own)
print(f"{len(moves[0])} collectives, {'at one time' if alike else 'at different times'} on {len(moves)} ranks, "
      f"{'one after the other' if follow else 'at once'}")
print("something" if under else "nothing", "is computed beside them")
