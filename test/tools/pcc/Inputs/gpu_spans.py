# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks whether a trace is consistent with the streams of a GPU: gpu_spans.py TRACE

Compute instructions of a rank are on one stream: they run one after the other, in the same order in every step.
Communication is on other streams.
"""

import json
import sys
from collections import defaultdict

with open(sys.argv[1]) as file:
    events = [event for event in json.load(file) if event["ph"] == "X"]
computed, names = defaultdict(list), defaultdict(lambda: defaultdict(list))
for event in events:
    if event["tid"] == 0:
        computed[event["pid"]].append((event["ts"], event["ts"] + event["dur"]))
        names[event["pid"]][event["args"]["step"]].append(event["name"])
rounding = 0.002  # µs
apart = all(before[1] <= after[0] + rounding for own in computed.values() for before, after in zip(own, own[1:]))
alike = all(list(step.values()) == [step[0]] * len(step) for step in names.values())
print(f"{len(names)} ranks, {len(names[0])} steps: records {'one after the other' if apart else 'at once'}, "
      f"{'each of them in every step' if alike else 'others in every step'}")
moves = [event["dur"] for event in events if event["tid"] != 0]
print("collectives and messages", "take time" if moves and min(moves) > 0 else "take no time")
