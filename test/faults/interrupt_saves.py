# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets single system calls fail while a training writes checkpoints, and checks that training can always continue.

  interrupt_saves.py BIN FOLDER [--wait] [--sample=N] [--seed=N]
A run continues from a checkpoint and writes one after each of four steps, of which two stay. The n-th call of a kind in
each of its threads fails with an error that this kind can have, or the process is killed there, for every n, or for a
sample of N faults. Afterwards every complete checkpoint must be whole, and one must be there. The run must end with a
documented exit code, with a message if it fails. Success means that the last checkpoint is what an undisturbed run
writes. A run without faults must then continue, end with the same bytes, and leave no unfinished checkpoint. With --wait,
training waits until a checkpoint is written; otherwise it is written beside training.
"""

import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from inject_faults import ERRORS, EXIT_CODES, LOADER_FAILED, ONE_CALL, TIME_LIMIT, run, strace

FAULTS = {**ERRORS, "mkdir": ["ENOSPC"], "unlink": ["EIO"], "unlinkat": ["EIO"], "rmdir": ["EIO"], "fdatasync": ["EIO"],
          "fallocate": ["ENOSPC", "EOPNOTSUPP"]}
KILLED = ["write", "fsync", "rename", "mkdir", "unlink", "unlinkat", "close"]
LAST = "step-00000006"


class Training:
    def __init__(self, bin_folder, folder, waits):
        self.flags = ["--checkpoint-wait"] if waits else []
        self.pcc, self.runner, self.folder = bin_folder / "pcc", bin_folder / "pcc-run", folder
        self.base, self.complete, self.work = folder / "base", folder / "complete", folder / "work"
        self.base.mkdir(parents=True)
        self.must([self.pcc, "example", "mlp", "--set=width=16", "-o", "mlp.mlir"])
        self.must([self.pcc, "compile", "mlp.mlir", "--loss=softmax_cross_entropy", "--optimizer=adam,lr=0.001",
                   "--device-num=2", "--parallel-mode=data_parallel", "--gradients-mean", "-o", folder / "mlp.pcx"])
        self.must([*self.command(2)])
        shutil.copytree(self.base, self.complete)

    def command(self, steps):
        return [self.runner, self.folder / "mlp.pcx", "--data=synthetic:200", f"--steps={steps}", "--checkpoint=saved",
                "--checkpoint-every=1", "--checkpoint-keep=2", "--resume", *self.flags]

    def must(self, command):
        done = run([str(word) for word in command], self.base)
        if done.returncode:
            sys.exit(f"{command}: {done.returncode}: {done.stderr}")

    def interrupted(self, options, folder):
        return run(strace(options, [str(word) for word in self.command(6)]), folder)

    def count_calls(self):
        """Returns for each kind of call the largest number of them in one thread."""
        log = self.folder / "calls.log"
        done = self.interrupted(["-o", str(log), f"--trace={','.join(FAULTS)}"], self.complete)
        if done.returncode:
            sys.exit(f"expected success without faults, got {done.returncode}: {done.stderr}")
        counts = collections.Counter()
        for line in log.read_text(errors="replace").splitlines():
            if call := ONE_CALL.match(line):
                counts[line.split()[0], call[1]] += 1
        largest = collections.Counter()
        for (_, kind), count in counts.items():
            largest[kind] = max(largest[kind], count)
        return largest

    def same_end(self):
        expected, got = self.complete / "saved" / LAST, self.work / "saved" / LAST
        return got.is_dir() and all((got / path.name).read_bytes() == path.read_bytes() for path in expected.iterdir())

    def problem(self, done, injection):
        """What is wrong after a run with a fault; empty if nothing is."""
        message = done.stderr.strip()
        killed = "SIGKILL" in injection
        if not killed and done.returncode != LOADER_FAILED:
            if done.returncode not in EXIT_CODES:
                return f"exit code {done.returncode}: {message[-400:]}"
            if done.returncode and not message:
                return f"exit code {done.returncode} without a message"
        if done.returncode == 0 and not self.same_end():
            return "the last checkpoint is not what a complete run writes, but the exit code is 0"
        checked = run([str(self.pcc), "checkpoint", "verify", "saved"], self.work)
        if checked.returncode or "files are whole" not in checked.stdout:
            return f"verify: {checked.stdout} {checked.stderr}"
        again = run([str(word) for word in self.command(6)], self.work)
        if again.returncode or not self.same_end():
            return f"the next run: {again.returncode}: {again.stderr[-400:]}"
        left = [path.name for path in (self.work / "saved").iterdir() if path.name.endswith(".part")]
        # A run that has nothing to do writes nothing, and removes nothing.
        return f"left behind: {left}" if left and "checkpoint:" in again.stdout else ""


def list_faults(counts):
    for kind, count in counts.items():
        for n in range(1, count + 1):
            for error in FAULTS[kind]:
                yield kind, n, f"error={error}"
            if kind in KILLED:
                yield kind, n, "signal=SIGKILL"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wait", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("PCC_TEST_ROTATION", "0")))
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    training = Training(arguments.bin.resolve(), arguments.folder.resolve(), arguments.wait)
    faults = list(list_faults(training.count_calls()))
    chosen = faults
    if arguments.sample and not os.environ.get("PCC_TEST_FULL"):
        chosen = random.Random(arguments.seed).sample(faults, min(arguments.sample, len(faults)))
    held, told = collections.Counter(), collections.Counter()
    for kind, n, injection in chosen:
        shutil.rmtree(training.work, ignore_errors=True)
        shutil.copytree(training.base, training.work)
        try:
            options = ["-o", "/dev/null", f"--trace={kind}", f"--inject={kind}:{injection}:when={n}"]
            problem = training.problem(training.interrupted(options, training.work), injection)
        except subprocess.TimeoutExpired:
            problem = f"did not end in {TIME_LIMIT} s"
        told[kind] += 1
        held[kind] += not problem
        if problem:
            print(f"{kind} {n} {injection}: {problem}", flush=True)
    row = ", ".join(f"{kind} {held[kind]} of {told[kind]}" for kind in told)
    print(f"saves: {sum(held.values())} of {len(chosen)} held ({len(faults)} possible): {row}")
    return 0 if sum(held.values()) == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
