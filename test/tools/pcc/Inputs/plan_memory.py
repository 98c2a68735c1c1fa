# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the bytes of temporaries in memory plans with a lower bound: plan_memory.py PCC PINS FOLDER [--most=PERCENT]
#
# Compiles eight families of `pcc example`, evaluated and trained by three optimizers, on one rank, on two ranks that
# split the batch, in two microbatches, and on four ranks that split tensors by the constraints of PINS/FAMILY.textproto.
# Prints bytes, lower bound (peak of live bytes) and buffers of each plan. Exits with 1 if a plan needs more than PERCENT
# above its bound.
import argparse
import re
import subprocess
import sys

FAMILIES = {"mlp": "mlp", "wide_deep": "wide_deep", "moe": "moe", "gpt": "language", "llama": "language",
            "bert": "transformer", "vit": "transformer", "resnet": "resnet"}
OPTIMIZERS = ["sgd,lr=0.1", "momentum,lr=0.1", "adam,lr=0.1"]


def plans(pcc, path, flags):
    """Returns the figures of each memory plan."""
    done = subprocess.run([pcc, "compile", path, "--emit=schedule", "--remarks", *flags], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{path} {' '.join(flags)}: {done.stderr}")
    return [{name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line)}
            for line in done.stderr.splitlines() if "plan-memory" in line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pcc")
    parser.add_argument("pins")
    parser.add_argument("folder")
    parser.add_argument("--most", type=float, default=5)
    options = parser.parse_args()
    worst = 0
    for family, pins in FAMILIES.items():
        path = f"{options.folder}/{family}.mlir"
        subprocess.run([options.pcc, "example", family, "-o", path], check=True)
        loss = "mse" if family == "wide_deep" else "softmax_cross_entropy"
        ways = {"1 rank": [], "2 microbatches": ["--micro-batches=2"],
                "batch in 2": ["--device-num=2", "--parallel-mode=data_parallel"],
                "tensors in 2": ["--device-num=4", "--parallel-mode=semi_auto_parallel",
                                 f"--constraints={options.pins}/{pins}.textproto"]}
        cases = {"evaluated": []}
        for optimizer in OPTIMIZERS:
            for way, flags in ways.items():
                name = optimizer.split(",")[0] + ", " + way
                cases[name] = [f"--loss={loss}", f"--optimizer={optimizer}", *flags]
        for name, flags in cases.items():
            for plan in plans(options.pcc, path, flags):
                needed, bound = plan["temporary_bytes"], plan["bound_bytes"]
                above = 100 * (needed / bound - 1) if bound else 0
                worst = max(worst, above)
                print(f"{family:10} {name:24} {needed:>10} of {bound:>10} bytes, {plan['buffers']:>4} buffers,"
                      f" {above:.2f} % above")
    print(f"worst: {worst:.2f} % above the bound")
    return worst > options.most


if __name__ == "__main__":
    sys.exit(main())
