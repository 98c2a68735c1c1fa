# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a plan's file states the step time and the memory of its simulated program.

usage: compare_plan.py PLAN.textproto SIMULATION.json
"""

import json
import re
import sys
from pathlib import Path


def compare(plan, simulation):
    """Returns the differences between the text of a plan and a simulated step."""
    def stated(name):
        return float(re.search(rf"^{name}: (\S+)$", plan, re.MULTILINE)[1])
    seconds = simulation["seconds"]
    peak = max(each["bytes"]["planned"] for each in simulation["classes"])
    pairs = [("step_seconds", seconds), ("peak_bytes", peak)]
    return [f"{name}: stated {stated(name)}, simulated {value}" for name, value in pairs
            if abs(stated(name) - value) > 1e-9 * value]


def main():
    plan, simulation = (Path(name).read_text() for name in sys.argv[1:])
    found = compare(plan, json.loads(simulation))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
