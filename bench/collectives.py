#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All-reduces of local ranks beside their bound and beside Open MPI on the same host.

  bench/collectives.py BUILD [--rounds=3]

The table of docs/performance.md. Both take turns, and the best of each counts. The machine must do nothing else.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

RANKS = (2, 4, 8)
BYTES = (64 << 10, 1 << 20, 32 << 20)


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def text(seconds):
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us" if seconds < 1e-4 else f"{seconds * 1e6:.0f} us"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pcc = str(Path(options.build) / "bin" / "pcc")
    own, bound, peer = {}, {}, {}
    keep = lambda times, key, seconds: times.update({key: min(seconds, times.get(key, seconds))})
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/mpi_allreduce"
        run("mpicc", "-O2", str(Path(__file__).parent / "peers" / "mpi_allreduce.c"), "-o", program)
        for _ in range(options.rounds):
            for ranks in RANKS:
                rows = json.loads(run(pcc, "bench", "collectives", "--kind=all_reduce", f"--device-num={ranks}",
                                      f"--bytes={','.join(map(str, BYTES))}", "--format=json"))["collectives"]
                for row in rows:
                    keep(own, (ranks, row["bytes"]), row["seconds"])
                    keep(bound, (ranks, row["bytes"]), row["bound_seconds"])
                lines = run("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), program, *map(str, BYTES))
                for line in lines.splitlines():
                    size, seconds = line.split()
                    keep(peer, (ranks, int(size)), float(seconds))
    print("ranks     bytes       time      bound  ratio   Open MPI  ratio")
    for key, seconds in own.items():
        print(f"{key[0]:5} {key[1]:9} {text(seconds):>10} {text(bound[key]):>10} {seconds / bound[key]:6.2f} "
              f"{text(peer[key]):>10} {seconds / peer[key]:6.2f}")


if __name__ == "__main__":
    main()
