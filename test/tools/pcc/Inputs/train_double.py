# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Trains a layer of f64 and compares its parameters with those that torch computes: train_double.py PCC MODEL FOLDER RANKS
#
# Two steps of SGD and of AdamW on data of f64 in .npy files. The expected numbers are from torch 2.15 with double. Prints
# the greatest relative difference of each optimizer as a power of ten, and exits with 1 if it is above 1e-12.
import json
import math
import struct
import subprocess
import sys

EXPECTED = {
    "sgd,lr=0.1": ([0.09962130136314772, 0.11836312742525658, 0.09471883802645097, 0.09102315175242907,
                    0.08096991339469044, 0.12841734708901517], [-0.00945871501234112, 0.0037792638359449185]),
    "adamw,lr=0.1": ([0.1472647664823654, 0.29573817430231564, -0.006643894649293157, -0.008256443735680009,
                      -0.057763524649131474, 0.2970729187190499], [-0.12697986730860839, -0.04912100355270271]),
}


def write_npy(path, rows):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}\n".encode()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        for row in rows:
            file.write(struct.pack(f"<{len(row)}d", *row))


def read_safetensors(path):
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        header, data = json.loads(file.read(length)), file.read()
    return {name: (entry["dtype"], struct.unpack(f"<{(entry['data_offsets'][1] - entry['data_offsets'][0]) // 8}d",
                                                 data[slice(*entry["data_offsets"])]))
            for name, entry in header.items()}


def main():
    pcc, model, folder, ranks = sys.argv[1:]
    write_npy(f"{folder}/x.npy", [[((7 * r + 3 * c) % 11 - 5) / 8 + 1 / 3 for c in range(3)] for r in range(8)])
    write_npy(f"{folder}/target.npy", [[((5 * r + 2 * c) % 7 - 3) / 4 + 1 / 7 for c in range(2)] for r in range(8)])
    failed = False
    parallel = [f"--device-num={ranks}", "--parallel-mode=data_parallel", "--gradients-mean"] if ranks != "1" else []
    for optimizer, (weight, bias) in EXPECTED.items():
        saved = f"{folder}/saved.safetensors"
        subprocess.run([pcc, "run", model, "--loss=mse", f"--optimizer={optimizer}", *parallel, f"--save={saved}",
                        f"--data=npy:x={folder}/x.npy,labels={folder}/target.npy"], check=True, capture_output=True)
        tensors = read_safetensors(saved)
        worst = max(abs(got - want) / abs(want) for name, expected in (("weight", weight), ("bias", bias))
                    for got, want in zip(tensors[name][1], expected))
        failed |= worst > 1e-12 or tensors["weight"][0] != "F64"
        print(f"{optimizer} on {ranks}: {tensors['weight'][0]}, worst difference 1e{math.ceil(math.log10(max(worst, 1e-17)))}")
    sys.exit(1 if failed else 0)


main()
