# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Selects the machine with the GPU: this one, or one that ssh reaches."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

CHIPS = ("sm_80", "sm_90", "sm_100", "emulator")
NO_GPU = 6


def chip_of(capability):
    """Returns the newest chip that pcc knows and a GPU of this compute capability ("9.0") runs; None if there is none."""
    major, minor = (int(part) for part in capability.split("."))
    if (major, minor) == (0, 0):
        return "emulator"
    known = [chip for chip in CHIPS if chip.startswith("sm_") and int(chip[3:]) <= 10 * major + minor]
    return known[-1] if known else None


def find_capability(command, pattern):
    """Returns the first group of `pattern` in the output of a command; None without a match or without the command."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        return None
    found = re.search(pattern, done.stdout)
    return found[1] if found else None


def capability_here(build):
    return find_capability([build / "bin/pcc", "doctor"], r"compute capability (\d+\.\d+)")


def capability_there(host):
    return find_capability(["ssh", host, "nvidia-smi --query-gpu=compute_cap --format=csv,noheader"], r"(?m)^\s*(\d+\.\d+)\s*$")


def add_arguments(parser):
    """Adds --chip, --host and --folder for `chooseChip`."""
    parser.add_argument("--chip", choices=CHIPS)
    parser.add_argument("--host", metavar="USER@MACHINE")
    parser.add_argument("--folder", type=lambda text: Path(text).resolve(), metavar="DIR")


def need_programs(parser, build):
    """Exits with an error if the build folder lacks pcc's programs."""
    for program in ("pcc", "pcc-run"):
        if not (build / "bin" / program).exists():
            parser.error(f"expected '{program}' in '{build / 'bin'}': 'make build' builds it")


def chooseChip(program, arguments):
    """Returns (chip to compile for, whether this machine or the host runs it). Exits if there is no GPU."""
    if arguments.host and arguments.chip == "emulator":
        print(f"{program}: --host: expected a chip of a GPU, got 'emulator', which is here", file=sys.stderr)
        sys.exit(2)
    if arguments.chip == "emulator":
        return "emulator", True
    place = f"on '{arguments.host}'" if arguments.host else "here"
    capability = capability_there(arguments.host) if arguments.host else capability_here(arguments.build)
    found = chip_of(capability) if capability else None
    if arguments.chip and (found == "emulator" or (found and CHIPS.index(arguments.chip) > CHIPS.index(found))):
        found = None  # code for a later chip does not run there
    if not found and not (arguments.chip and arguments.folder and not arguments.host):
        reason = f"the GPU {place} has compute capability {capability}, below 8.0" if capability else f"no GPU is {place}"
        print(f"{program}: {reason}; --host=USER@MACHINE runs on another machine, --chip=emulator on the emulated driver, "
              "--chip=sm_NN --folder=DIR stores the programs for later", file=sys.stderr)
        sys.exit(NO_GPU)
    return arguments.chip or found, bool(found)


def run_there(program, host, folder):
    """Copies a folder to another machine, starts `run` in it and removes it; returns the exit code."""
    made = subprocess.run(["ssh", host, "mktemp -d"], capture_output=True, text=True, check=False)
    there = made.stdout.strip()
    if made.returncode or not there:
        sys.exit(f"{program}: cannot reach '{host}': {made.stderr.strip()}")
    try:
        packed = subprocess.Popen(["tar", "-C", folder, "-cf", "-", "."], stdout=subprocess.PIPE)
        unpacked = subprocess.run(["ssh", host, f"tar -C {shlex.quote(there)} -xf -"], stdin=packed.stdout, check=False)
        packed.stdout.close()  # else a tar without a reader would wait forever
        if packed.wait() or unpacked.returncode:
            sys.exit(f"{program}: cannot copy the programs to '{host}'")
        return subprocess.run(["ssh", host, f"python3 {shlex.quote(there)}/run"], check=False).returncode
    finally:
        subprocess.run(["ssh", host, f"rm -rf {shlex.quote(there)}"], check=False)


def run(program, arguments, chip, runs, folder):
    """Starts `run` in the folder on the machine with the GPU, or prints how; returns the exit code."""
    if not runs:
        print(f"no GPU is here: copy '{folder}' to one and start 'run' in it")
        return 0
    if arguments.host:
        return run_there(program, arguments.host, folder)
    drivers = [f"--libraries={arguments.build / 'test/emulator'}"] if chip == "emulator" else []
    return subprocess.run([sys.executable, folder / "run", *drivers], check=False).returncode
