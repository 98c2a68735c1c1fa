# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares programs for GPUs on the emulated driver with the interpreter: gpu_verify.py PCC EMULATOR FOLDER
#
# Tests the families of `pcc example` in small sizes on one rank, trained by Adam, and a GPT on several ranks: data,
# pipeline and tensor parallel, sharded optimizer, microbatches and copies. A residual network takes long and is evaluated
# only; convolutions.mlir has the ops of its training. Tests three models also with the driver alone, without a library.
# Exits with 1 if a result differs.
import os
import subprocess
import sys

SEQUENCE = ["sequence=16", "layers=1", "width=32", "batch=4"]
FAMILIES = {"mlp": ["width=64"], "wide_deep": ["vocabulary=64", "width=16"], "moe": ["sequence=8", "batch=4", "width=32"],
            "llama": SEQUENCE, "mixtral": SEQUENCE, "bert": SEQUENCE, "vit": ["layers=1", "width=32", "batch=4"], "gpt": SEQUENCE,
            "resnet": ["batch=2", "image=16"]}
WAYS = {"on 4 ranks": ["--device-num=4", "--parallel-mode=data_parallel", "--gradients-mean"],
        "in 2 stages on 8 ranks": ["--device-num=8", "--parallel-mode=data_parallel", "--gradients-mean", "--pipeline-stages=2",
                                   "--micro-batches=2", "--enable-parallel-optimizer"],
        "by search on 4 ranks": ["--device-num=4", "--parallel-mode=auto_parallel", "--cluster=4xH100"],
        "in 2 copies on 4 ranks": ["--device-num=4", "--parallel-mode=auto_parallel", "--cluster=4xH100", "--interleave-num=2"]}


def main():
    pcc, emulator, folder = sys.argv[1:]
    inputs = os.path.dirname(__file__)
    failed = False

    def verify(name, model, flags, drivers=emulator):
        nonlocal failed
        environment = {**os.environ, "LD_LIBRARY_PATH": drivers}
        loss = "mse" if name.startswith(("wide_deep", "moe", "long")) else "softmax_cross_entropy"
        step = [] if name.startswith("resnet") else [f"--loss={loss}", "--optimizer=adam,lr=0.001"]
        done = subprocess.run([pcc, "verify", model, "--target=cuda:emulator", *step, *flags], capture_output=True, text=True,
                              env=environment)
        last = (done.stderr + done.stdout).strip().splitlines()[-1]
        print(f"{name}: {last}")
        failed |= done.returncode != 0

    for family, sizes in FAMILIES.items():
        model = f"{folder}/{family}.mlir"
        subprocess.run([pcc, "example", family, *(f"--set={size}" for size in sizes), "-o", model], check=True)
        verify(f"{family} on 1 rank", model, [])
    verify("convolutions on 1 rank", os.path.join(inputs, "convolutions.mlir"), [])
    verify("pools on 1 rank", os.path.join(inputs, "pools.mlir"), [])
    verify("long sums on 1 rank", os.path.join(inputs, "long-sums.mlir"), [])
    verify("long sums of channels on 1 rank", os.path.join(inputs, "channel-sums.mlir"), [])
    verify("gelu on 1 rank", os.path.join(inputs, "gelu-mlp.mlir"), [])
    for drivers, name in ((emulator, ""), (f"{emulator}/driver-alone", " by the driver alone")):
        verify(f"gelu in 2 microbatches{name}", os.path.join(inputs, "gelu-mlp.mlir"), ["--micro-batches=2"], drivers)
    for model in (*(os.path.join(inputs, name) for name in ("gelu-mlp.mlir", "convolutions.mlir")), f"{folder}/gpt.mlir"):
        verify(f"{os.path.basename(model)} by the driver alone", model, [], f"{emulator}/driver-alone")
    model = f"{folder}/gpt.mlir"
    subprocess.run([pcc, "example", "gpt", "--set=sequence=16", "--set=layers=2", "--set=width=32", "--set=batch=8", "-o", model], check=True)
    for way, flags in WAYS.items():
        verify(f"gpt {way}", model, flags)
    sys.exit(1 if failed else 0)


main()
