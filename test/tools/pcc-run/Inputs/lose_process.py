# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a command that starts processes, and sends one of them a signal after their first output:

  lose_process.py STOP|KILL PROCESS COMMAND…

PROCESS is an OMPI_COMM_WORLD_RANK. Prints the later output of the command, and exits with the command's exit code.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path


def find(parent, process):
    """Finds the child process of `parent` whose environment has this process number."""
    wanted = f"OMPI_COMM_WORLD_RANK={process}".encode()
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        if wanted in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
            return int(child)
    sys.exit(f"lose_process: expected a process {process}")


def main():
    name, process, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    running.stdout.readline()  # the first loss
    os.kill(find(running.pid, process), signal.SIGSTOP if name == "STOP" else signal.SIGKILL)
    for line in running.stdout:
        if not line.startswith("epoch:"):
            print(line, end="")
    sys.exit(running.wait())


if __name__ == "__main__":
    main()
