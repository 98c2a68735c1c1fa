# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a command as several processes with torchrun's environment variables, and waits for all of them:

  start_ranks.py [--lose STOP|KILL PROCESS] [--signal NAME PROCESS] [--token-of PROCESS TOKEN] [--master HOST] N COMMAND…

Prints the output of the first process. With --lose, PROCESS gets the signal after the first output of the first process;
later output of all others is printed with their numbers and exit codes. The exit code is the greatest one of the processes
that did not get the signal. With --token-of, PROCESS gets another token of the store; its output is printed, and its exit
code is the script's. --master replaces the host of the store.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(command, process, processes, port, arguments):
    variables = {"RANK": process, "WORLD_SIZE": processes, "LOCAL_RANK": process, "LOCAL_WORLD_SIZE": processes,
                 "MASTER_ADDR": arguments.master, "MASTER_PORT": port}
    if arguments.token_of and int(arguments.token_of[0]) == process:
        variables["PCC_STORE_TOKEN"] = arguments.token_of[1]
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def lose(running, name, process):
    running[0].stdout.readline()  # the first loss
    running[process].send_signal(signal.SIGSTOP if name == "STOP" else signal.SIGKILL)
    for number, one in enumerate(running):
        if number == process:
            continue
        for line in one.communicate()[0].splitlines():
            if not line.startswith("epoch:"):
                print(f"process {number}: {line}")
        print(f"process {number}: exit code {one.returncode}")
    running[process].kill()
    return [one for number, one in enumerate(running) if number != process]


def send(running, name, process):
    """Sends a signal after the first loss. Prints the output of the first process, and all exit codes."""
    print(running[0].stdout.readline(), end="")
    running[process].send_signal(getattr(signal, "SIG" + name))
    print(running[0].communicate()[0], end="")
    for number, one in enumerate(running):
        print(f"process {number}: exit code {one.wait()}")


def run_refused(running, process):
    """Waits for the process that is refused; the others wait for it in vain."""
    for line in running[process].communicate()[0].splitlines():
        print(f"process {process}: {line}")
    for one in running:
        one.kill()
    return [running[process]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lose", nargs=2, metavar=("SIGNAL", "PROCESS"))
    parser.add_argument("--signal", nargs=2, metavar=("SIGNAL", "PROCESS"))
    parser.add_argument("--token-of", nargs=2, metavar=("PROCESS", "TOKEN"))
    parser.add_argument("--master", default="127.0.0.1")
    parser.add_argument("processes", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    port = free_port()
    running = [start(arguments.command, process, arguments.processes, port, arguments)
               for process in range(arguments.processes)]
    if arguments.lose:
        running = lose(running, arguments.lose[0], int(arguments.lose[1]))
    elif arguments.signal:
        return send(running, arguments.signal[0], int(arguments.signal[1]))
    elif arguments.token_of:
        running = run_refused(running, int(arguments.token_of[0]))
    else:
        for number, one in enumerate(running):
            text = one.communicate()[0]
            if number == 0:
                print(text, end="")
    sys.exit(max(one.returncode for one in running))


if __name__ == "__main__":
    main()
