# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the node tests of the package 'onnx' with `pcc verify MODEL --test-data=DIR`.

  onnx_nodes.py PCC FOLDER [--only=TEXT] [--part=I/N] [--expanded] [--split]
Each test is written to FOLDER. A test passes if the interpreter and the CPU compute the stored results, is refused if
the importer rejects it, and is wrong otherwise. Prints the tests that did not pass with their reasons, and counts.
With --split, check-onnx-nodes, which lies beside PCC, runs the tests in the interpreter on 2 and 4 ranks instead, under
each legal strategy of each op.
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

TIMEOUT_SECONDS = 20
DOMAINS = {"", "ai.onnx"}  # the others hold trees and training steps
# Tests whose stored results are drawn by numpy's generator.
RANDOM = {f"test_training_dropout{kind}{mask}" for kind in ("", "_default") for mask in ("", "_mask")}
FOLDED_DIGITS = re.compile(r"\d+")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pcc")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="tests whose names contain this")
    parser.add_argument("--part", default="1/1", help="I/N: every N-th test, from number I")
    parser.add_argument("--expanded", action="store_true", help="also tests with functions taken apart")
    parser.add_argument("--split", action="store_true", help="on 2 and 4 ranks under each legal strategy")
    return parser.parse_args()


def is_wanted(case, arguments):
    plain = "_expanded" not in case.name and all(n.domain in DOMAINS for n in case.model.graph.node)
    return arguments.only in case.name and (plain or arguments.expanded)


def encode(value, info):
    """The message of a value of the type that the graph declares."""
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    return value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(np.asarray(value), info.name)


def write(case, folder):
    """Writes the model and its data as the tests of ONNX store them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir(exist_ok=True)
        for kind, values, infos in (("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output)):
            for position, (value, info) in enumerate(zip(values, infos)):
                (data / f"{kind}_{position}.pb").write_bytes(encode(value, info).SerializeToString())


def run(pcc, folder):
    """(status, reason) of one test."""
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    command = [pcc, "verify", str(folder / "model.onnx"), f"--test-data={folder}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_SECONDS, env=environment)
    except subprocess.TimeoutExpired:
        return "wrong", f"timeout after {TIMEOUT_SECONDS} s"
    text = done.stdout + done.stderr
    if done.returncode == 0 and "skipped" not in text.split("total:")[-1].replace("0 skipped", ""):
        return "passed", ""
    lines = [line.strip() for line in text.splitlines() if re.search(r"skipped|failed|error", line)]
    reason = lines[0] if lines else f"exit code {done.returncode}"
    return ("refused" if reason.startswith("skipped") else "wrong"), reason


def run_split(cases, checker, folder):
    """Writes the tests and runs the checker on all of them. A test whose values have no message is left out, and named."""
    shutil.rmtree(folder, ignore_errors=True)
    for case in cases:
        try:
            write(case, folder / case.name)
        except Exception as error:
            shutil.rmtree(folder / case.name)
            print(f"refused {case.name}: cannot be tried: {error}", flush=True)
    return subprocess.run([checker, str(folder), "--split"]).returncode


def main():
    warnings.filterwarnings("ignore")
    arguments = parse_arguments()
    first, step = (int(n) for n in arguments.part.split("/"))
    cases = [case for case in collect_testcases(None) if is_wanted(case, arguments)][first - 1 :: step]
    if arguments.split:
        return run_split(cases, Path(arguments.pcc).parent / "check-onnx-nodes", arguments.folder / "split")
    counts, operators, reasons = collections.Counter(), collections.defaultdict(collections.Counter), {}
    for case in cases:
        folder = arguments.folder / case.name
        operator = case.model.graph.node[-1].op_type
        try:
            write(case, folder)
            if case.name in RANDOM:
                raise ValueError("its numbers are another generator's")
        except Exception as error:  # also a value that has no message
            status, reason = "refused", f"cannot be tried: {error}"
        else:
            status, reason = run(arguments.pcc, folder)
        counts[status] += 1
        operators[operator][status] += 1
        if status != "passed":
            reasons.setdefault((status, operator, FOLDED_DIGITS.sub("N", reason.split(": ", 1)[-1])), []).append(case.name)
            print(f"{status} {operator} {case.name}: {reason}", flush=True)
    print("\noperator                     passed refused wrong")
    for operator, row in sorted(operators.items()):
        if row["refused"] or row["wrong"]:
            print(f"{operator:28} {row['passed']:6} {row['refused']:7} {row['wrong']:5}")
    print(f"total: {counts['passed']} passed, {counts['refused']} refused, {counts['wrong']} wrong")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
