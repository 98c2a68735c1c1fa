# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model phase by phase with pcc-opt, and replays a crash reproducer of each phase.

  replay_phases.py MODEL.mlir FOLDER FLAG...

FLAGS are those of `pcc compile`. Checks that

  * `pcc-opt` with the pipelines of `pcc compile --emit=pipelines` gives the bytes of `pcc compile -o`;
  * a phase with a failing pass at its end leaves a reproducer that fails alike;
  * the pipeline of the reproducer, without the failing pass, turns its module into that of the phase.

Prints a line per check that fails; the exit status is then 1.
"""

import re
import subprocess
import sys
from pathlib import Path

model, folder, flags = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
FAILING = "verify-phase{phase=failing}"


def run(*command, fails=False):
    """Returns stderr of a command whose exit status must be as expected."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
    return done.stderr


def replay(phase, pipeline, before, after):
    """Returns what differs when a reproducer of the phase is replayed, or None."""
    reproducer = folder / f"{phase}.reproducer.mlir"
    failing = pipeline.removesuffix(")") + f",{FAILING})"
    first = run("pcc-opt", before, f"--pass-pipeline={failing}", "--mlir-print-debuginfo",
                f"--mlir-pass-pipeline-crash-reproducer={reproducer}", "-o", folder / "none", fails=True)
    if "unknown phase 'failing'" not in first or not reproducer.exists():
        return f"no reproducer: {first}"
    again = run("pcc-opt", reproducer, "--run-reproducer", "-o", folder / "none", fails=True)
    if "unknown phase 'failing'" not in again:
        return f"the reproducer fails otherwise: {again}"
    text = reproducer.read_text()
    mended = re.sub(r",\s*verify-phase\{\s*phase=failing\s*\}", "", text)
    if mended == text:
        return "the reproducer does not hold the failing pass"
    reproducer.write_text(mended)
    replayed, wanted = folder / f"{phase}.replayed.mlir", folder / f"{phase}.mlir"
    # Bytecode drops names of locations that no op has any more.
    run("pcc-opt", reproducer, "--run-reproducer", "--emit-bytecode", "-o", f"{replayed}bc")
    run("pcc-opt", f"{replayed}bc", "--mlir-print-debuginfo", "-o", replayed)
    run("pcc-opt", after, "--mlir-print-debuginfo", "-o", wanted)
    return None if replayed.read_bytes() == wanted.read_bytes() else f"{replayed} and {wanted} differ"


folder.mkdir(parents=True, exist_ok=True)
run("pcc", "compile", model, *flags, "-o", folder / "whole.pcx")
run("pcc", "compile", model, *flags, "--emit=pipelines", "-o", folder / "pipelines")
lines = (folder / "pipelines").read_text().splitlines()
errors, before = [], model
for line in lines:
    phase = line.split("{")[0].removeprefix("pcc-")
    pipeline = f"builtin.module({line})"
    after = folder / f"{phase}.mlirbc"
    run("pcc-opt", before, f"--pass-pipeline={pipeline}", "--emit-bytecode", "-o", after)
    if difference := replay(phase, pipeline, before, after):
        errors.append(f"{phase}: {difference}")
    before = after
run("pcc", "compile", before, "--link-only", "-o", folder / "phases.pcx")
if (folder / "whole.pcx").read_bytes() != (folder / "phases.pcx").read_bytes():
    errors.append("phase by phase: another program")
print("\n".join(errors) or f"{len(lines)} phases: same program, reproducers replay")
sys.exit(bool(errors))
