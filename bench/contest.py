#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches of the contest's problems, over seeds: cost, bound, gap, and how they come about.

  bench/contest.py BUILD [--folder DIR] [--problems A,G,K] [--seeds 1,2,3] [--limit-share 0.25] [--threads 2]
                         [--limit SECONDS]

DIR holds the problems, `A.json.gz` and so on; each is searched for a share of the contest's time, or for SECONDS. Every
solution and every certificate is checked by `pcc search --check`. contest.tsv holds the contest's own figures.

  search  one line per run: what was found, the seconds of the program and of its threads, `cut` where the clock ended the
          search before its work was done (then another run may find something else)
  gap     in per cent, after an eighth, a quarter, half, three quarters and all of the time
  result  one line per problem: the best, the worst and the spread of the costs, beside the contest's
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHARES = (0.125, 0.25, 0.5, 0.75, 1.0)
PROGRESS = re.compile(r"^ *([0-9.]+) s  cost (\S+)  bound \S+  gap ([0-9.]+) %")


def contest():
    """The contest's figures by problem; those that are not known are absent."""
    lines = [line for line in (Path(__file__).parent / "contest.tsv").read_text().splitlines() if line[0] != "#"]
    names = lines[0].split("\t")[1:]
    return {row[0]: dict(zip(names, map(int, row[1:]))) for row in (line.split("\t") for line in lines[1:])}


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def gaps(log, limit):
    """The gap in per cent that was reached after each of SHARES of the time; None before a solution."""
    found = [None] * len(SHARES)
    for line in log.splitlines():
        match = PROGRESS.match(line)
        if match and match[2] != "none":
            for i, share in enumerate(SHARES):
                if float(match[1]) <= share * limit:
                    found[i] = float(match[3])
    return found


def search(pcc, path, limit, seed, threads, folder):
    """One search and its check, as a dictionary."""
    solution, proof = f"{folder}/solution", f"{folder}/proof.gz"
    begin, used = time.monotonic(), cpu_seconds()
    done = subprocess.run(
        [pcc, "search", path, f"--time-limit={limit}", f"--seed={seed}", f"--threads={threads}", "--format=json", "-o",
         solution, f"--certificate={proof}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seconds, used = time.monotonic() - begin, cpu_seconds() - used
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr.splitlines()[-1] if done.stderr else done.returncode}")
    found = json.loads(done.stdout)
    checked = subprocess.run([pcc, "search", path, f"--check={solution}", f"--certificate={proof}"], stdout=subprocess.PIPE,
                             text=True)
    proved = dict(line.split() for line in checked.stdout.splitlines())
    if checked.returncode != 0 or int(proved["cost"]) != int(found["cost"]) or int(proved["bound"]) < int(found["bound"]):
        sys.exit(f"{path}: the certificate does not prove what the search says: {checked.stdout}")
    return {"cost": int(found["cost"]), "bound": int(found["bound"]), "seconds": seconds, "cpu": used,
            "cut": found["cut_off"], "gaps": gaps(done.stderr, limit)}


def percent(value):
    return "      -" if value is None else f"{value:7.3f}"


def report(name, runs, figures):
    """The line of a problem."""
    costs = [run["cost"] for run in runs]
    best, bound = min(costs), max(run["bound"] for run in runs)
    spread = (max(costs) - best) / best * 100 if best else 0.0
    others = [f"{figures[other] / best - 1:+9.4%}" if other in figures else "        -" for other in ("winner", "known")]
    print(f"result {name:3} best {best}  worst {max(costs)}  spread {spread:.4f} %  bound {bound}  gap "
          f"{(best - bound) / best * 100 if best else 0:.4f} %  winner {others[0]}  known {others[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--folder", default=".")
    parser.add_argument("--problems", help="those in the folder by default")
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--limit-share", type=float, default=0.25)
    parser.add_argument("--limit", type=float, help="seconds, for all problems")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    pcc, known = str(Path(options.build) / "bin" / "pcc"), contest()
    paths = {path.name.split(".")[0]: path for path in sorted(Path(options.folder).glob("*.json*"))}
    names = options.problems.split(",") if options.problems else sorted(paths)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            if name not in paths:
                sys.exit(f"'{options.folder}': expected a problem '{name}', got none")
            if options.limit is None and name not in known:
                sys.exit(f"'{name}': the contest's time limit is not known, give --limit")
            limit = options.limit or known[name]["limit"] * options.limit_share
            runs = []
            for seed in map(int, options.seeds.split(",")):
                run = search(pcc, str(paths[name]), limit, seed, options.threads, folder)
                runs.append(run)
                print(f"search {name:3} seed {seed}  cost {run['cost']}  bound {run['bound']}  {run['seconds']:.1f} s of {limit:g}"
                      f"  cpu {run['cpu']:.1f} s{'  cut' if run['cut'] else ''}  gap {' '.join(map(percent, run['gaps']))}",
                      flush=True)
            report(name, runs, known.get(name, {}))


if __name__ == "__main__":
    main()
