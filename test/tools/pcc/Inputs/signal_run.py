# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends signals to a training run: signal_run.py [--after=TEXT] [--ignore=SIGNAL] SIGNAL[,SIGNAL…] COMMAND…

Sends the first signal after the first line with TEXT that the command prints, by default a loss, and each further one
after the next line that names a checkpoint; a signal after '+' follows at once, as in TERM+INT. The command starts with
the default action of SIGTERM and SIGINT, or ignores the given one. Prints all output, then how the command ended.
"""

import signal
import subprocess
import sys

arguments = sys.argv[1:]
awaited = arguments.pop(0).removeprefix("--after=") if arguments[0].startswith("--after=") else "loss is"
ignored = arguments.pop(0).removeprefix("--ignore=") if arguments[0].startswith("--ignore=") else None
for name in "TERM", "INT":  # the command inherits these
    signal.signal(getattr(signal, "SIG" + name), signal.SIG_IGN if name == ignored else signal.SIG_DFL)
groups, command = arguments[0].split(","), arguments[1:]
run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
for line in run.stdout:
    print(line, end="")
    if groups and awaited in line:
        for name in groups.pop(0).split("+"):
            run.send_signal(getattr(signal, "SIG" + name))
        awaited = "checkpoint:"
code = run.wait()
print(f"exit code {code}" if code >= 0 else f"ended by {signal.Signals(-code).name}")
sys.exit(1 if groups else 0)
