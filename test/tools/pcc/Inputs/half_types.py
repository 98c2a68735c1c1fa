# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the model families in half types with the interpreter: half_types.py PCC EMULATOR FOLDER
#
# Tests eight families of `pcc example` in bf16 and f16, trained by Adam on one rank, on the host and on the emulated
# GPU: bf16 with its libraries, f16 with the driver alone. A residual network takes long and is evaluated only. Exits with
# 1 if a result differs.
import os
import subprocess
import sys

SEQUENCE = ["sequence=16", "layers=1", "width=32", "batch=4"]
FAMILIES = {"mlp": ["width=32"], "wide_deep": ["vocabulary=32", "width=8"], "moe": ["sequence=4", "batch=4", "width=16"],
            "llama": SEQUENCE, "bert": SEQUENCE, "vit": ["layers=1", "width=32", "batch=2"], "gpt": SEQUENCE,
            "resnet": ["batch=1", "image=8"]}


def main():
    pcc, emulator, folder = sys.argv[1:]
    libraries = {"bf16": emulator, "f16": f"{emulator}/driver-alone"}
    failed = False
    for family, sizes in FAMILIES.items():
        loss = "mse" if family in ("wide_deep", "moe") else "softmax_cross_entropy"
        step = [] if family == "resnet" else [f"--loss={loss}", "--optimizer=adam,lr=0.001"]
        for element in ["bf16", "f16"]:
            model = f"{folder}/{family}.{element}.mlir"
            subprocess.run([pcc, "example", family, f"--type={element}", *(f"--set={size}" for size in sizes), "-o", model], check=True)
            for target in ["host", "cuda:emulator"]:
                done = subprocess.run([pcc, "verify", model, f"--target={target}", *step], capture_output=True, text=True,
                                      env={**os.environ, "LD_LIBRARY_PATH": libraries[element]})
                answer = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()[-1]
                print(f"{family} of {element} on {target}: {answer}", flush=True)
                failed |= done.returncode != 0
    sys.exit(1 if failed else 0)


main()
