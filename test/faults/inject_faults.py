# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets single system calls of pcc fail, and checks that nothing is lost.

  inject_faults.py BIN FOLDER EXAMPLES [--only=NAME] [--sample=N] [--seed=N]
Each task runs once under strace, which counts its system calls after the start of the process. Then the n-th call of
a kind fails with an error that this kind can have, or the process is killed there, for every n, or for a sample of
N of them. Afterwards each output must be as it was before or as a complete run writes it, a failed run must end with a
documented exit code and a message, and no temporary files may stay behind. A killed process may leave temporary files,
which the next run removes. Calls are counted by thread, as strace does it.

Calls for memory do not fail here: LLVM ends a compilation without memory or threads by a fatal error, and oneDNN crashes
without memory for its code.
"""

import argparse
import array
import collections
import filecmp
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

# What a call of each kind reports if a disk is full or broken, a limit is reached, or a file is gone.
ERRORS = {
    "openat": ["EMFILE", "EACCES"],
    "read": ["EIO"],
    "pread64": ["EIO"],
    "write": ["ENOSPC", "EINTR"],
    "pwrite64": ["ENOSPC"],
    "ftruncate": ["ENOSPC"],
    "fsync": ["EIO"],
    "close": ["EIO"],
    "rename": ["EIO"],
    "linkat": ["EIO"],
    "newfstatat": ["EIO"],
    "getdents64": ["EIO"],
}
KILLED = ["write", "ftruncate", "fsync", "rename", "linkat", "close"]
EXIT_CODES = {0, 1, 2, 3, 5, 6}  # docs/spec/cli.md; 4 is a comparison, 70 an error in pcc itself
TIME_LIMIT = 120
LOADER_FAILED = 127
# Sums may have another order, since a library that cannot be read is done without.
TOLERANCE = 1e-5
ONE_CALL = re.compile(r"^(?:\d+ +)?(\w+)\(")


class Task:
    """A command in a folder of its own, and the files that it writes there."""

    def __init__(self, name, command, outputs, setup=()):
        self.name, self.command, self.outputs, self.setup = name, command, outputs, setup


def make_tasks(bin_folder, examples):
    pcc, runner = bin_folder / "pcc", bin_folder / "pcc-run"
    model = [str(examples / "mnist-mlp/mlp.onnx"), "--set-dim=B=32"]
    training = ["--loss=softmax_cross_entropy", "--optimizer=momentum,lr=0.1"]
    ranks = ["--device-num=2", "--parallel-mode=data_parallel", "--gradients-mean"]
    digits = str(examples / "mnist-mlp/digits")
    compile_to = [str(pcc), "compile", *model, *training, *ranks, "-o"]
    save = [str(runner), "program.pcx", f"--data={digits}", "--steps=2", "--save=saved.safetensors"]
    return [
        Task("import", [str(pcc), "import", *model, "-o", "model.mlir"], ["model.mlir"]),
        Task(
            "compile",
            [*compile_to, "program.pcx", "--strategy-ckpt-save-file=plan.ckpt"],
            ["program.pcx", "plan.ckpt"],
        ),
        Task(
            "train",
            [*save, "--trace=trace.json", "--log-dir=logs"],
            ["saved.safetensors"],
            [[*compile_to, "program.pcx"]],
        ),
        Task(
            "weights",
            [str(pcc), "run", *model, "--loss=softmax_cross_entropy", f"--data={digits}", "--weights=saved.safetensors"],
            [],
            [[*compile_to, "program.pcx"], save],
        ),
    ]


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT)


def strace(options, command):
    # LeakSanitizer, in a build that has it, cannot run under a tracer.
    return ["strace", "-f", "-qq", "--signal=none", "-E", "LSAN_OPTIONS=detect_leaks=0", *options, *command]


def count_calls(task, folder):
    """Returns for each kind of call (number before the program's own code, number at the end) in its first thread."""
    log = folder / "calls.log"
    kinds = ",".join([*ERRORS, "munmap"])
    done = run(strace(["-o", str(log), f"--trace={kinds}"], task.command), folder)
    if done.returncode != 0:
        sys.exit(f"{task.name}: expected success without faults, got {done.returncode}: {done.stderr}")
    counts, started = collections.Counter(), None
    first_thread = None
    for line in log.read_text(errors="replace").splitlines():
        thread = line.split()[0]
        first_thread = first_thread or thread
        call = ONE_CALL.match(line)
        if not call or thread != first_thread:
            continue
        if call[1] == "munmap" and started is None:  # the loader returns its list of libraries
            started = counts.copy()
        counts[call[1]] += 1
    log.unlink()
    return {kind: (started[kind], counts[kind]) for kind in ERRORS if counts[kind] > started[kind]}


def list_faults(counts):
    """All faults as (kind, n, injection)."""
    for kind, (begin, end) in counts.items():
        for n in range(begin + 1, end + 1):
            for error in ERRORS[kind]:
                yield kind, n, f"error={error}"
            if kind in KILLED:
                yield kind, n, "signal=SIGKILL"


def read_floats(path):
    """The header and the elements of a .safetensors file of f32; None if it is no such file."""
    content = path.read_bytes()
    try:
        size = int.from_bytes(content[:8], "little")
        return json.loads(content[8 : 8 + size]), array.array("f", content[8 + size :])
    except ValueError:
        return None


def are_equal(path, other):
    """Whether two files are equal, parameters but for rounding."""
    if filecmp.cmp(path, other, shallow=False):
        return True
    if path.suffix != ".safetensors":
        return False
    one, two = read_floats(path), read_floats(other)
    if not one or not two or one[0] != two[0] or len(one[1]) != len(two[1]):
        return False
    return all(abs(a - b) <= TOLERANCE for a, b in zip(one[1], two[1]))


class Judge:
    """The folder before the task, and its outputs after a complete run."""

    def __init__(self, task, base, complete):
        self.task, self.base, self.complete = task, base, complete

    def problem(self, done, folder, kind, injection):
        """What is wrong after a run with a fault; empty if nothing is."""
        killed = "SIGKILL" in injection
        message = done.stderr.strip()
        if done.returncode == LOADER_FAILED and "error while loading shared libraries" in message:
            return ""
        if not killed and done.returncode not in EXIT_CODES:
            return f"exit code {done.returncode}: {message[-400:]}"
        if not killed and done.returncode and not message and kind != "write":  # its message may have failed
            return f"exit code {done.returncode} without a message"
        for name in self.task.outputs:
            problem = self.output_problem(name, folder, must_be_new=done.returncode == 0)
            if problem:
                return problem
        known = {p.relative_to(tree) for tree in (self.base, self.complete) for p in tree.rglob("*")}
        left = [p.name for p in folder.rglob("*") if p.is_file() and p.relative_to(folder) not in known]
        return f"left behind: {left}" if left and not killed else ""

    def output_problem(self, name, folder, must_be_new):
        output, old, new = folder / name, self.base / name, self.complete / name
        if not output.exists():
            return f"{name} is gone" if old.exists() else f"{name} is missing" if must_be_new else ""
        if are_equal(output, new):
            return ""
        if must_be_new:
            return f"{name} is not what a complete run writes, but the exit code is 0"
        if old.exists() and filecmp.cmp(output, old, shallow=False):
            return ""
        return f"{name} is neither old nor complete"


def prepare(task, folder):
    """Makes the folder before the task: its inputs, and old outputs, which differ from new ones."""
    folder.mkdir(parents=True)
    for command in task.setup:
        done = run(command, folder)
        if done.returncode:
            sys.exit(f"{task.name}: {' '.join(command)}: {done.stderr}")
    for name in task.outputs:
        (folder / name).write_text("what an earlier run wrote\n")


def run_task(task, folder, sample, seed):
    base, complete, work = folder / "base", folder / "complete", folder / "work"
    prepare(task, base)
    shutil.copytree(base, complete)
    counts = count_calls(task, complete)
    judge = Judge(task, base, complete)
    faults = list(list_faults(counts))
    chosen = faults if sample == 0 else random.Random(seed).sample(faults, min(sample, len(faults)))
    held, told = collections.Counter(), collections.Counter()
    problems = []
    for kind, n, injection in chosen:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(base, work)
        try:
            done = run(strace(["-o", "/dev/null", f"--inject={kind}:{injection}:when={n}"], task.command), work)
            problem = judge.problem(done, work, kind, injection)
        except subprocess.TimeoutExpired:
            problem = f"did not end in {TIME_LIMIT} s"
        told[kind] += 1
        held[kind] += not problem
        if problem:
            problems.append(f"{task.name}: {kind} {n} {injection}: {problem}")
    row = ", ".join(f"{kind} {held[kind]} of {told[kind]}" for kind in told)
    print(f"{task.name}: {sum(held.values())} of {len(chosen)} held ({len(faults)} possible): {row}", flush=True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--only", default="", help="tasks whose names contain this")
    parser.add_argument("--sample", type=int, default=0, help="faults of each task; 0, and with PCC_TEST_FULL: all")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("PCC_TEST_ROTATION", "0")))
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    sample = 0 if os.environ.get("PCC_TEST_FULL") else arguments.sample
    problems = []
    for task in make_tasks(arguments.bin.resolve(), arguments.examples.resolve()):
        if arguments.only in task.name:
            problems += run_task(task, arguments.folder / task.name, sample, arguments.seed)
    for problem in problems:
        print(problem)
    print(f"faults that lost something: {len(problems)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
