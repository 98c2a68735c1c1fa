# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends signals to a training run: signal_run.py SIGNAL[,SIGNAL…] COMMAND…

Sends the first signal after the first loss that the command prints, and each further one after the next line that names
a checkpoint; a signal after '+' follows at once, as in TERM+INT. Prints all output, then how the command ended.
"""

import signal
import subprocess
import sys

groups, command = sys.argv[1].split(","), sys.argv[2:]
run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
awaited = "loss is"
for line in run.stdout:
    print(line, end="")
    if groups and awaited in line:
        for name in groups.pop(0).split("+"):
            run.send_signal(getattr(signal, "SIG" + name))
        awaited = "checkpoint:"
code = run.wait()
print(f"exit code {code}" if code >= 0 else f"ended by {signal.Signals(-code).name}")
sys.exit(1 if groups else 0)
