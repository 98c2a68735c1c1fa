# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flips a bit of a parameter in the memory of a supervised training, and checks that `--check-replicas` finds it.

  flip_bit.py BIN FOLDER [--processes=N]
A training runs undisturbed. The same training then runs under `pcc launch --restarts=1`. Its rate is so small that no
parameter changes, so the script finds the bytes of a parameter in the memory of a process, and flips a bit of one rank's
copy. The comparison must name the parameter, and the run must go on from the latest checkpoint with the bits of the
undisturbed one.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

PARAMETER, PATTERN_BYTES, TIME_LIMIT = "layer1.weight", 256, 60
LARGEST_REGION = 1 << 32


def must(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.returncode}: {done.stderr}")


def bytes_of(path, name):
    """Returns the bytes of a tensor of a .safetensors file."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    begin, end = json.loads(data[8:8 + size])[name]["data_offsets"]
    return data[8 + size + begin:8 + size + end]


def writable_regions(pid):
    """Yields the bounds of the memory of a process, without larger regions that a sanitizer reserves."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, access = line.split()[:2]
        if access.startswith("rw"):
            begin, end = (int(part, 16) for part in span.split("-"))
            if end - begin <= LARGEST_REGION:
                yield begin, end


def places_of(pid, pattern):
    """Returns the addresses at which a process has the bytes."""
    found = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for begin, end in writable_regions(pid):
            try:
                memory.seek(begin)
                content = memory.read(end - begin)
            except OSError:  # of the kernel
                continue
            found += [begin + match.start() for match in re.finditer(re.escape(pattern), content)]
    return found


def flip(pid, address):
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        memory.seek(address)
        old = memory.read(1)[0]
        memory.seek(address)
        memory.write(bytes([old ^ 0x10]))


def runs_of(launch):
    """Returns the training processes under `pcc launch`."""
    names = subprocess.run(["pgrep", "-P", str(launch.pid), "pcc-run"], capture_output=True, text=True).stdout
    return [int(pid) for pid in names.split()]


def flip_until_found(running, pattern, log):
    """Flips copies of the pattern, one after the other, until the log says that one was found. Returns their number."""
    end, flipped = time.monotonic() + TIME_LIMIT, 0
    while "checkpoint:" not in log.read_text():
        if time.monotonic() > end or running.poll() is not None:
            sys.exit(f"no checkpoint:\n{log.read_text()}")
        time.sleep(0.01)
    pid = runs_of(running)[-1]
    for address in places_of(pid, pattern):  # the initial values are one of them, which no rank reads again
        flip(pid, address)
        flipped += 1
        time.sleep(0.5)
        if "--check-replicas" in log.read_text():
            break
    return flipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    bin_folder, folder = arguments.bin.resolve(), arguments.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    must([bin_folder / "pcc", "example", "mlp", "--set=width=16", "-o", "mlp.mlir"], folder)
    must([bin_folder / "pcc", "compile", "mlp.mlir", "--loss=softmax_cross_entropy", "--optimizer=adam,lr=1e-30", "--device-num=4",
          "--parallel-mode=data_parallel", "--gradients-mean", "-o", "mlp.pcx"], folder)
    # Local ranks are so fast that their steps need a slow link, for the script to keep up.
    steps, link = (600, ["--link=1GB/s,500us"]) if arguments.processes == 1 else (3000, [])
    run = lambda name: [str(bin_folder / "pcc-run"), "mlp.pcx", "--data=synthetic:2000", "--shuffle", f"--steps={steps}", *link,
                        f"--checkpoint={name}", f"--checkpoint-every={steps // 6}", "--check-replicas=20",
                        f"--save={name}.safetensors"]
    must(run("whole"), folder)
    pattern = bytes_of(folder / "whole.safetensors", PARAMETER)[:PATTERN_BYTES]
    log = folder / "launch.log"
    with open(log, "w") as out:
        running = subprocess.Popen([str(bin_folder / "pcc"), "launch", "-n", str(arguments.processes), "--restarts=1",
                                    *run("flipped")], cwd=folder, stdout=out, stderr=subprocess.STDOUT)
    flipped = flip_until_found(running, pattern, log)
    code = running.wait()
    print(log.read_text(), end="")
    last = f"step-{steps:08}"
    differ = [path.name for path in (folder / "whole" / last).iterdir()
              if not (folder / "flipped" / last / path.name).exists()
              or (folder / "flipped" / last / path.name).read_bytes() != path.read_bytes()]
    print(f"{flipped} flipped; exit code {code}; differ from the undisturbed run: {differ}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
