# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the tracks of a measured and of a simulated trace: compare_tracks.py MEASURED SIMULATED

Processes and threads have the same names; records of the lane COMPUTE run in the same order. On the other lanes a measured
trace shows neighbours that were started together once, under the name of the first.
"""

import json
import sys
from collections import defaultdict


def read(path):
    """The names of processes and threads, and by both the names of events in the order of their times."""
    names, events = {}, defaultdict(list)
    for event in json.load(open(path)):
        if event["ph"] == "M":
            names[event["name"], event["pid"], event.get("tid")] = event["args"]["name"]
        elif event["ph"] == "X":
            events[event["pid"], event["tid"]].append((event["ts"], event["name"]))
    return names, {track: [name for _, name in sorted(runs, key=lambda run: run[0])]
                   for track, runs in events.items()}


def main():
    (names, measured), (other_names, simulated) = read(sys.argv[1]), read(sys.argv[2])
    wrong = names != other_names or sorted(measured) != sorted(simulated)
    for track in sorted(measured):
        mine, other = measured[track], simulated.get(track, [])
        if mine != other if track[1] == 0 else not set(mine) <= set(other):
            wrong = True
            print(f"{track}: measured {mine}, simulated {other}")
    print(f"{len(measured)} tracks {'differ' if wrong else 'are the same'}")


main()
