# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains models on local ranks and by mpirun and compares the losses:

  mpi_losses.py ROOT SCRATCH [--models NAME…] [--splits NAME…] [--processes N…] [--steps N]

Eight ranks in one process are the reference. With mpirun -n 2, 4 and 8 the losses must be equal to the last bit, because
sums are taken in the order of ranks; with --reduction=library they are equal up to the order of sums. Prints a line for
each run.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

# The model's flags, and the constraints that split it over tp.
GPT = ["layers=2", "width=32", "batch=16", "sequence=8", "heads=4", "vocabulary=32"]
PINS = {
    "mlp": r"""constraint { parameter: "layer1.weight" sharding: "[tp, _]" }
constraint { parameter: "layer2.weight" sharding: "[_, tp]" }""",
    "gpt": r"""constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.weight" sharding: "[tp, _]" }
constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.bias" sharding: "[tp]" }
constraint { parameter: "h\\.\\d\\.(attn\\.proj|out)\\.weight" sharding: "[_, tp]" }""",
}
# By name: the mesh of a stage if parameters are split by hand, and flags.
SPLITS = {
    "data": (None, ["--parallel-mode=data_parallel", "--gradients-mean"]),
    "fused": (None, ["--parallel-mode=data_parallel", "--gradients-mean", "--enable-parallel-optimizer", "--parallel-optimizer-level=3",
                     "--parallel-optimizer-threshold=0", "--comm-fusion=all"]),
    "tensor": ("dp=2, tp=4", []),
    "pipeline": (None, ["--parallel-mode=data_parallel", "--pipeline-stages=2", "--micro-batches=4"]),
    "all": ("dp=2, tp=2", ["--pipeline-stages=2", "--micro-batches=4"]),
}


def call(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"mpi_losses: exit code {done.returncode} from {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(root, scratch, model, split):
    """Compiles the program of a model for eight ranks."""
    source = [f"{root}/examples/mnist-mlp/mlp.onnx", "--set-dim=B=32"]
    if model == "gpt":
        source = [str(scratch / "gpt.mlir")]
        call(["pcc", "example", "gpt", *[f"--set={size}" for size in GPT], "-o", source[0]])
    mesh, flags = SPLITS[split]
    if mesh:
        pins = scratch / f"{model}.{split}.textproto"
        pins.write_text(f'mesh: "{mesh}"\n{PINS[model]}\n')
        flags = [*flags, "--parallel-mode=semi_auto_parallel", f"--constraints={pins}"]
    program = str(scratch / f"{model}.{split}.pcx")
    call(["pcc", "compile", *source, "--loss=softmax_cross_entropy", "--optimizer=momentum,lr=0.05,momentum=0.9",
          "--device-num=8", *flags, "-o", program])
    return program


def losses(command):
    return [step["loss"] for step in json.loads(call(command))["steps"]]


def check(name, program, processes, steps):
    run = ["pcc-run", program, "--data=synthetic:64", f"--steps={steps}", "--seed=3", "--format=json", "--time-out=120"]
    local = losses(run)
    for count in processes:
        over = losses(["mpirun", "-n", str(count), *run])
        if over != local:
            sys.exit(f"mpi_losses: {name} -n {count}: expected {local}, got {over}")
        print(f"{name} -n {count}: {len(local)} losses, the same bits, last {local[-1]:.6f}", flush=True)
    other = losses(["mpirun", "-n", str(processes[-1]), *run, "--reduction=library"])
    worst = max(abs(a - b) / abs(a) for a, b in zip(local, other))
    if worst > 1e-5:
        sys.exit(f"mpi_losses: {name} library: expected losses near {local}, got {other}")
    print(f"{name} -n {processes[-1]} library: within 1e-5", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--models", nargs="+", default=list(PINS))
    parser.add_argument("--splits", nargs="+", default=list(SPLITS))
    parser.add_argument("--processes", nargs="+", type=int, default=[2, 4, 8])
    parser.add_argument("--steps", type=int, default=5)
    arguments = parser.parse_args()
    for model in arguments.models:
        for split in arguments.splits:
            program = build(arguments.root, arguments.scratch, model, split)
            check(f"{model} {split}", program, arguments.processes, arguments.steps)


if __name__ == "__main__":
    main()
