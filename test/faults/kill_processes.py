# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills random processes of a training that `pcc launch` supervises, and checks that nothing of it shows in the result.

  kill_processes.py BIN FOLDER [--processes=N] [--mpi] [--kills=K] [--seed=S]
A training on four ranks runs undisturbed. The same training then runs under `pcc launch`: on N processes that a store
joins, or with --mpi on N processes of one mpirun. K times, a random process of it gets SIGKILL: after a random step of the
next part of the training, or, once in four times, while the processes start. With --mpi, this may be mpirun itself. The
training has more parts than kills, so that it cannot end before the last one.
After each kill, the script waits for the processes of the next start. At the end, the parameters, the last checkpoint,
the logs of all ranks and the steps and losses in the file of metrics must be those of the undisturbed run, bit by bit.
Without PCC_TEST_FULL, K is 4 by default, else 100.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

RANKS, TIME_LIMIT = 4, 180
STEPS_PER_KILL = {"store": 400, "mpi": 2400}  # about a second
LONGEST_START = 0.5  # seconds, about


def children(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:  # the process has ended
        return []


def descendants(pid):
    found = children(pid)
    return found + [other for child in found for other in descendants(child)]


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def processes_of(launch):
    """Returns the processes of a run under `pcc launch`, without the one that guards them: it has the same command line."""
    return [pid for pid in descendants(launch) if command_of(pid) != command_of(launch)]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Training:
    def __init__(self, bin_folder, folder, kills, steps_per_kill):
        self.bin, self.folder = bin_folder, folder
        self.steps, self.every = (kills + 2) * steps_per_kill, steps_per_kill // 8
        folder.mkdir(parents=True)
        self.must([self.bin / "pcc", "example", "mlp", "--set=width=16", "-o", "mlp.mlir"])
        self.must([self.bin / "pcc", "compile", "mlp.mlir", "--loss=softmax_cross_entropy", "--optimizer=adam,lr=0.001",
                   f"--device-num={RANKS}", "--parallel-mode=data_parallel", "--gradients-mean", "-o", "mlp.pcx"])

    def must(self, command):
        start = time.monotonic()
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{command}: {done.returncode}: {done.stderr}")
        return time.monotonic() - start

    def command(self, name):
        return [str(self.bin / "pcc-run"), "mlp.pcx", "--data=synthetic:2000", "--shuffle", f"--steps={self.steps}",
                "--log-every=25", f"--checkpoint={name}", f"--checkpoint-every={self.every}", "--checkpoint-keep=2",
                f"--metrics-file={name}.jsonl", f"--log-dir={name}-logs", f"--save={name}.safetensors"]

    def result(self, name):
        """Everything of a run that must be the same: by name, the bytes or values."""
        last = self.folder / name / f"step-{self.steps:08}"
        files = [self.folder / f"{name}.safetensors", *last.iterdir(), *sorted((self.folder / f"{name}-logs").rglob("*.log"))]
        found = {str(path.relative_to(self.folder)).replace(name, "", 1): path.read_bytes() for path in files}
        lines = [json.loads(line) for line in (self.folder / f"{name}.jsonl").read_text().splitlines()]
        found["metrics"] = [(line["step"], line["epoch"], line["loss"]) for line in lines]
        return found


def wait_for_start(running, before):
    """Waits until the processes of a start are there, without any of `before`. Returns them; none if the run has ended."""
    end = time.monotonic() + TIME_LIMIT
    while time.monotonic() < end:
        found = processes_of(running.pid)
        if found and not set(found) & set(before):
            return found
        if running.poll() is not None:
            return []
        time.sleep(0.005)
    sys.exit(f"no restart within {TIME_LIMIT} s")


def logged_step(metrics):
    """Returns the last step in the file of metrics; 0 if there is none yet."""
    try:
        lines = metrics.read_text().splitlines(keepends=True)
    except OSError:
        return 0
    return next((json.loads(line)["step"] for line in reversed(lines) if line.endswith("\n")), 0)


def kill_one(running, before, draw, metrics, steps):
    """Kills a process of the start after `before`: at a random one of `steps`, or while it starts.

    Returns the processes that were seen; none if the run has ended.
    """
    seen = wait_for_start(running, before)
    step, delay = draw.choice(steps), draw.uniform(0, LONGEST_START)
    if draw.randrange(4) == 0:
        time.sleep(delay)
    else:
        while logged_step(metrics) < step and running.poll() is None:
            time.sleep(0.005)
    now = processes_of(running.pid)
    if not seen or not now:
        return []
    os.kill(draw.choice(now), signal.SIGKILL)
    return sorted({*seen, *now})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--mpi", action="store_true")
    parser.add_argument("--kills", type=int, default=100 if os.environ.get("PCC_TEST_FULL") else 4)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("PCC_TEST_ROTATION", "0")))
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    part = STEPS_PER_KILL["mpi" if arguments.mpi else "store"]
    training = Training(arguments.bin.resolve(), arguments.folder.resolve(), arguments.kills, part)
    start = [str(training.bin / "pcc"), "launch", "--backoff=0"]
    mpirun = ["mpirun", "-n", str(arguments.processes)]
    several = ["-n", str(arguments.processes)]
    whole = training.must([*(mpirun if arguments.mpi else [*start, *several]), *training.command("whole")])
    begin = time.monotonic()
    command = [*start, f"--restarts={arguments.kills}", *([] if arguments.mpi else several), "--",
               *(mpirun if arguments.mpi else []), *training.command("killed")]
    draw, kills, last, seen = random.Random(arguments.seed), 0, [], set()
    with open(training.folder / "launch.log", "w") as log:
        running = subprocess.Popen(command, cwd=training.folder, stdout=log, stderr=subprocess.STDOUT)
        while kills < arguments.kills:
            last = kill_one(running, last, draw, training.folder / "killed.jsonl", range(kills * part, (kills + 1) * part))
            if not last:
                break
            seen |= set(last)
            kills += 1
        code = running.wait()
    text = (training.folder / "launch.log").read_text()
    restarts = text.count("; restart ")
    resumed = restarts - text.count("starts the command again")
    left = [pid for pid in seen if is_alive(pid)]
    expected, got = training.result("whole"), training.result("killed") if code == 0 else {}
    differ = sorted(name for name in expected if got.get(name) != expected[name])
    print(f"{kills} kills, {restarts} restarts, {resumed} of them from a checkpoint; undisturbed {whole:.1f} s, with kills "
          f"{time.monotonic() - begin:.1f} s")
    print(f"exit code {code}; left behind: {left}; differ from the undisturbed run: {differ}")
    return 0 if kills == arguments.kills and code == 0 and not left and not differ else 1


if __name__ == "__main__":
    sys.exit(main())
