# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_frontier.py FRONTIER.json DEVICES...: checks the points of a frontier for these numbers of devices.

check_frontier.py --least=DEVICES FRONTIER.json prints the least bytes of a point with so many devices.
"""

import json
import sys

if sys.argv[1].startswith("--least="):
    points = json.load(open(sys.argv[2]))["points"]
    print(min(point["peak_bytes"] for point in points if point["devices"] == int(sys.argv[1][8:])))
    sys.exit()

frontier = json.load(open(sys.argv[1]))
bounds = {count["devices"]: count["bound_seconds"] for count in frontier["devices"]}
assert list(bounds) == [int(text) for text in sys.argv[2:]], bounds
needs = [(point["devices"], point["peak_bytes"], point["step_seconds"]) for point in frontier["points"]]
assert needs and len(set(needs)) == len(needs), needs
for point in needs:
    assert point[1] <= frontier["memory_bytes"], point
    assert point[2] >= bounds[point[0]], point
    for other in needs:
        assert other == point or any(a > b for a, b in zip(other, point)), (other, point)
assert {devices for devices, _, _ in needs} <= set(bounds), needs
