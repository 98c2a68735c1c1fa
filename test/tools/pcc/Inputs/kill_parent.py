# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a command by SIGKILL after its first loss, and prints how many of its descendants are left: kill_parent.py COMMAND…"""

import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "faults"))
from kill_processes import descendants, is_alive  # noqa: E402

TIME_LIMIT = 20


def main():
    run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while "loss is" not in (line := run.stdout.readline()):
        if not line:
            sys.exit("kill_parent: expected a loss, got the end of the output")
    found = descendants(run.pid)
    run.send_signal(signal.SIGKILL)
    run.wait()
    end = time.monotonic() + TIME_LIMIT
    while any(map(is_alive, found)) and time.monotonic() < end:
        time.sleep(0.01)
    print(f"{len(found)} processes, {sum(map(is_alive, found))} of them left")


if __name__ == "__main__":
    main()
