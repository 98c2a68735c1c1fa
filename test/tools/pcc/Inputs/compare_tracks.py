# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the tracks of a measured and of a simulated trace: compare_tracks.py MEASURED SIMULATED

Processes and threads must have the same names, and instructions of the stream COMPUTE the same order. On other streams a
measured trace shows adjacent instructions that were started together as one entry, under the name of the first.
"""

import json
import sys
from collections import defaultdict


def read(path):
    """Returns the names of processes and threads, and for each thread the names of its events in the order of time."""
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
