# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# GPU kernels of the model families: gpu_families.py PCC PTXAS FOLDER
#
# Compiles eight families of `pcc example`, evaluated and trained, to PTX for each architecture, and assembles it.
# Prints for each family the number of kernels, the maximum registers of a kernel, and the maximum bytes that a thread
# spills to memory. Exits with 1 if PTX is refused, or if a kernel spills more bytes than libdevice's sine may (for words
# of 2/pi, by which it reduces large arguments).
import re
import subprocess
import sys

FAMILIES = {"mlp": [], "wide_deep": [], "moe": [], "gpt2": ["layers=1", "width=768", "heads=12", "sequence=1024", "vocabulary=50257"],
            "llama": ["layers=1", "width=1024", "heads=16", "sequence=512"], "bert": ["layers=1"], "vit": ["layers=1"],
            "resnet": ["depth=50", "image=224", "stem=7", "batch=2"]}
HALF = {"llama": "bf16", "vit": "f16"}  # also tested in these types
CHIPS = ["sm_80", "sm_90", "sm_100"]
MOST_ASIDE = 32


def assemble(ptxas, chip, path):
    done = subprocess.run([ptxas, f"--gpu-name={chip}", "-v", path, "-o", path + ".cubin"], capture_output=True, text=True)
    text = done.stdout + done.stderr
    if done.returncode:
        sys.exit(f"{path}: {text}")

    def figures(pattern):
        return [int(figure) for figure in re.findall(pattern, text)]

    return figures(r"Used (\d+) registers"), max(figures(r"(\d+) bytes stack frame"))


def main():
    pcc, ptxas, folder = sys.argv[1:]
    aside = 0
    models = {family: [family] for family in FAMILIES} | {f"{family} of {element}": [family, f"--type={element}"] for family, element in HALF.items()}
    for name, arguments in models.items():
        family = arguments[0]
        model = f"{folder}/{name}.mlir"
        subprocess.run([pcc, "example", *arguments, *(f"--set={size}" for size in FAMILIES[family]), "-o", model], check=True)
        loss = "mse" if family in ("wide_deep", "moe") else "softmax_cross_entropy"
        for way, flags in {"evaluated": [], "trained": [f"--loss={loss}", "--optimizer=adam,lr=0.1"]}.items():
            for chip in CHIPS:
                path = f"{folder}/{name}.{way}.{chip}.ptx"
                subprocess.run([pcc, "compile", model, f"--target=cuda:{chip}", "--emit=ptx", "-o", path, *flags], check=True)
                registers, bytes_aside = assemble(ptxas, chip, path)
                print(f"{name} {way} {chip}: {len(registers)} kernels, at most {max(registers)} registers and {bytes_aside} bytes aside")
                aside = max(aside, bytes_aside)
    sys.exit(1 if aside > MOST_ASIDE else 0)


main()
