# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the meshes of `pcc search --format=json`: check_meshes.py DEVICES FILE

Each mesh has all devices, the best one has the least cost, and bounds are no greater than costs. The bound of every other
mesh is close to the best cost or above it, though some of these meshes have no plan near their own bound.
"""

import json
import math
import sys


def main():
    devices, path = int(sys.argv[1]), sys.argv[2]
    report = json.load(open(path))
    meshes = report["meshes"]
    assert len(meshes) > 3, meshes
    for mesh in meshes:
        sizes = [int(axis.split("=")[1]) for axis in mesh["mesh"].split(", ")]
        assert math.prod(sizes) == devices, mesh
        if mesh["status"] != "unknown":
            assert mesh["bound"] <= mesh["cost"] and report["cost"] <= mesh["cost"], mesh
        assert mesh["bound"] >= 0.95 * report["cost"], mesh


main()
