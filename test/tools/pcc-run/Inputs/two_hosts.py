# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emulates two hosts on one machine: two_hosts.py RATE COMMAND…

Makes two network namespaces with their own host names, joined by a pair of virtual links of RATE (for example 1gbit) each
way. Runs COMMAND on the first host. In COMMAND, `mpirun --host pcc-a:2,pcc-b:2` starts processes on both hosts, because
OpenMPI reaches a host by entering its namespace. Exits with 77 and the reason if the system does not allow namespaces,
which require root's rights.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HOSTS = {"pcc-a": "10.203.0.1", "pcc-b": "10.203.0.2"}

# The script that OpenMPI starts instead of ssh: HOST COMMAND….
AGENT = """#!/bin/sh
host=$1; shift
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$0"; eval "$1"' "$host" "$*"
"""


def tool(*command):
    try:
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except FileNotFoundError:
        raise RuntimeError(f"'{command[0]}' is not here: apt-get install iproute2") from None
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"'{' '.join(command)}': {error.stdout.strip()}") from None


def make_hosts(rate):
    first, second = HOSTS
    for host in HOSTS:
        tool("ip", "netns", "add", host)
    tool("ip", "link", "add", "pcc0", "netns", first, "type", "veth", "peer", "name", "pcc0", "netns", second)
    for host, address in HOSTS.items():
        tool("ip", "-n", host, "address", "add", f"{address}/24", "dev", "pcc0")
        for link in ("lo", "pcc0"):
            tool("ip", "-n", host, "link", "set", link, "up")
        tool("tc", "-n", host, "qdisc", "add", "dev", "pcc0", "root", "tbf", "rate", rate, "burst", "128kb", "latency", "50ms")


def run(command, scratch):
    agent = scratch / "agent"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    hosts = scratch / "hosts"
    hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {host}\n" for host, address in HOSTS.items()))
    environment = dict(os.environ,
                       OMPI_MCA_plm_rsh_agent=str(agent),
                       OMPI_MCA_oob_tcp_if_include="pcc0",
                       OMPI_MCA_btl="self,vader,tcp",
                       OMPI_MCA_btl_tcp_if_include="pcc0")
    # The host names must be known: this run binds its own file of names over the system's.
    script = f'mount --bind "{hosts}" /etc/hosts && hostname "$0" && exec "$@"'
    first = next(iter(HOSTS))
    return subprocess.run(["ip", "netns", "exec", first, "unshare", "--uts", "--mount", "sh", "-c", script, first, *command],
                          env=environment, check=False).returncode


def main():
    rate, command = sys.argv[1], sys.argv[2:]
    try:
        make_hosts(rate)
        with tempfile.TemporaryDirectory() as scratch:
            code = run(command, Path(scratch))
    except RuntimeError as error:
        print(f"two_hosts: {error}")
        code = 77
    finally:
        for host in HOSTS:
            subprocess.run(["ip", "netns", "delete", host], check=False, stderr=subprocess.DEVNULL)
    sys.exit(code)


if __name__ == "__main__":
    main()
