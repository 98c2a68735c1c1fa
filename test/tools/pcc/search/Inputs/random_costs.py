# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches plans of random models on random clusters, and compares what the search counts with the cost of the program.

usage: random_costs.py PCC FOLDER FIRST COUNT

Each request is a model of `pcc example` in a size at which arithmetic counts for more than launches, a mesh, an
optimizer, and constraints on some parameters, by which plans differ from the best. A program is right if its cost
differs from the counted one by at most LIMIT. The seed of request number n is n.
"""

import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path

LIMIT = 0.05  # of one program
CLOSE = 0.02  # of most programs
MODELS = {
    "mlp": {"batch": (4096, 16384, 49152), "width": (4096, 8192, 12288)},
    "bert": {"batch": (32, 96, 256), "layers": (1, 2, 4), "width": (768, 1152, 1536), "heads": (12,),
             "sequence": (128, 512), "vocabulary": (30720,)},
    "gpt": {"batch": (16, 48, 128), "layers": (1, 2, 4), "width": (768, 1536, 3072), "heads": (12, 24),
            "sequence": (512, 1024), "vocabulary": (50304,)},
    "llama": {"batch": (16, 48), "layers": (1, 2, 3), "width": (1024, 2048, 4096), "heads": (16, 32),
              "sequence": (1024, 2048), "vocabulary": (32000,)},
    "mixtral": {"batch": (16, 48), "layers": (1, 2), "width": (1024, 2048), "heads": (16,), "sequence": (1024,),
                "experts": (4, 6, 8), "shared": (1, 2), "vocabulary": (32000,)},
    "moe": {"batch": (32, 96), "sequence": (1024,), "width": (1024, 4096), "experts": (4, 6, 8)},
    "resnet": {"batch": (256, 768), "image": (224,), "depth": (18, 50), "classes": (1000,)},
    "vit": {"batch": (128, 384), "layers": (2, 4), "width": (768, 1536, 3072), "heads": (12, 24)},
}
CLUSTERS = ("2xH100", "3xH100", "4xA100", "6xA100", "8xH100", "2x4xA100", "2x8xH100", "4x8xA100")
OPTIMIZERS = ("sgd,lr=0.1", "momentum,lr=0.1", "adam,lr=0.001", "adamw,lr=0.001")


def call(*arguments):
    run = subprocess.run([str(each) for each in arguments], capture_output=True, text=True, timeout=600, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return run.stdout


def draw_mesh(chance, devices):
    """Returns the sizes of one or two axes."""
    two = [(size, devices // size) for size in range(2, devices) if devices % size == 0]
    return chance.choice([(devices,), *two])


def draw_constraint(chance, name, shape, mesh):
    """Returns a constraint that cuts dimensions of a parameter by axes that divide them."""
    cut = ["_"] * len(shape)
    for axis, size in zip("ab", mesh):
        free = [dim for dim, extent in enumerate(shape) if cut[dim] == "_" and extent % size == 0]
        if free and chance.random() < 0.7:
            cut[chance.choice(free)] = axis
    pattern = re.escape(name).replace("\\", "\\\\")
    return f'constraint {{ parameter: "{pattern}" sharding: "[{", ".join(cut)}]" }}\n'


def compare(pcc, folder, number):
    """Returns by how much the program of one request costs more than counted, as a share."""
    chance = random.Random(number)
    name = chance.choice(list(MODELS))
    sizes = {key: chance.choice(values) for key, values in MODELS[name].items()}
    cluster = chance.choice(CLUSTERS)
    mesh = draw_mesh(chance, math.prod(int(count) for count in cluster.split("x")[:-1]))
    model, constraints = folder / "model.mlir", folder / "constraints.textproto"
    call(pcc, "example", name, f"--type={chance.choice(('f32', 'bf16'))}",
         *(f"--set={key}={value}" for key, value in sizes.items()), "-o", model)
    parameters = re.findall(r"graph.parameter @(\S+) : tensor<([0-9x]+)x(?:f32|bf16)>", model.read_text())
    text = 'mesh: "' + ", ".join(f"{axis}={size}" for axis, size in zip("ab", mesh)) + '"\n'
    for parameter, shape in chance.sample(parameters, min(chance.choice((0, 1, 2, 4)), len(parameters))):
        text += draw_constraint(chance, parameter, [int(extent) for extent in shape.split("x")], mesh)
    constraints.write_text(text)
    optimizer = chance.choice(OPTIMIZERS)
    answer = json.loads(call(pcc, "search", model, "--loss=softmax_cross_entropy", f"--optimizer={optimizer}",
                             f"--cluster={cluster}", f"--constraints={constraints}", "--constraint-time-limit=0",
                             "--time-limit=5", "--memory-limit=1000000000000000", "--format=json", "--quiet"))
    difference = answer["program_cost"] / (answer["cost"] + answer["hidden"]) - 1
    print(f"request {number}: {name} {sizes} on {cluster}, {text.splitlines()[0]}, {optimizer}: "
          f"{answer['cost'] * 1e3:.3f} ms, program {difference * 100:+.2f} %", flush=True)
    return difference


def main():
    pcc, folder, first, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [abs(compare(pcc, folder, number)) for number in range(first, first + count)]
    close = sum(size < CLOSE for size in sizes)
    print(f"{close} of {count} programs cost within {CLOSE:.0%} of what was counted, mean {sum(sizes) / count:.2%}, "
          f"most {max(sizes):.2%}")
    right = sum(size < LIMIT for size in sizes)
    print(f"{right} of {count} programs within {LIMIT:.0%}")
    return 0 if right == count else 1


if __name__ == "__main__":
    sys.exit(main())
