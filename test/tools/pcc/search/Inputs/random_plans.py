# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks for plans of random models on random clusters, and holds the answers against simulated programs.

usage: random_plans.py PCC FOLDER FIRST COUNT

Each request is a model of `pcc example` with random sizes, a cluster, an optimizer and a memory limit. An answer is right
if the plan fits, if its file compiles to a program of the stated step time and memory, if no step is below the bound,
and if no plan that an expert
writes with flags alone, data parallel with any optimizer level and number of microbatches, is faster and fits. The last
of these needs an answer for which every shape was tried. The seed of request number n is n.
"""

import json
import math
import random
import subprocess
import sys
from pathlib import Path

from compare_plan import compare

MODELS = {
    "mlp": {"batch": (24, 48, 96), "width": (64, 96, 512)},
    "gpt": {"batch": (8, 12, 24), "layers": (1, 2, 3), "width": (32, 48, 64), "sequence": (16, 32)},
    "llama": {"batch": (8, 16), "layers": (2, 3), "width": (32, 64), "sequence": (16, 24)},
    "mixtral": {"batch": (8, 12), "layers": (1, 2), "width": (32, 64), "experts": (2, 3, 4), "shared": (1, 2)},
    "moe": {"batch": (8, 16), "experts": (2, 4)},
    "wide_deep": {"batch": (32, 64)},
}
CLUSTERS = ("2xcpu", "3xcpu", "4xcpu", "6xcpu", "4xH100", "2x2xA100", "2x3xH100")
OPTIMIZERS = ("sgd,lr=0.1", "momentum,lr=0.1", "adam,lr=0.001", "adamw,lr=0.001")
MEANS = ["--gradients-mean", "--micro-reduction=mean"]


def call(*arguments):
    run = subprocess.run([str(each) for each in arguments], capture_output=True, text=True, timeout=300, check=False)
    return run.returncode, run.stdout, run.stderr


def peak_of(simulation):
    return max(each["bytes"]["planned"] for each in simulation["classes"])


def expert_plans(devices, batch):
    """Yields the flags of data parallel plans."""
    for level in (0, 1, 2, 3):
        for microbatches in (m for m in range(1, batch + 1) if batch % (m * devices) == 0):
            optimizer = ["--enable-parallel-optimizer", f"--parallel-optimizer-level={level}"] if level else []
            yield [f"--device-num={devices}", "--parallel-mode=data_parallel", f"--micro-batches={microbatches}",
                   *MEANS, *optimizer]


def judge(pcc, folder, number):
    """Returns what is wrong with the answer to one request."""
    chance = random.Random(number)
    name = chance.choice(list(MODELS))
    sizes = {key: chance.choice(values) for key, values in MODELS[name].items()}
    cluster = chance.choice(CLUSTERS)
    devices = math.prod(int(count) for count in cluster.split("x")[:-1])
    model, plan = folder / "model.mlir", folder / "plan.textproto"
    code, _, error = call(pcc, "example", name, *(f"--set={key}={value}" for key, value in sizes.items()), "-o", model)
    if code:
        return [error]
    step = [model, "--loss=softmax_cross_entropy", f"--optimizer={chance.choice(OPTIMIZERS)}", f"--cluster={cluster}"]
    if name == "wide_deep":
        step[1] = "--loss=sigmoid_cross_entropy"
    limit = []
    if chance.random() < 0.5:
        _, text, _ = call(pcc, "simulate", *step, "--format=json", "--columns=0")
        limit = [f"--memory-limit={int(peak_of(json.loads(text)) * chance.uniform(0.3, 1.1))}"]
    print(f"request {number}: {name} {sizes} on {cluster} {step[2]} {' '.join(limit)}", flush=True)
    code, text, error = call(pcc, "plan", *step, *limit, "--time-limit=60", "--quiet", "--format=json", "-o", plan)
    answer = json.loads(text)
    fitting = [each for each in answer["plans"] if each.get("fits")]
    if code == 3:
        return ["exit code 3, but a plan fits"] if fitting else []
    if code:
        return [f"exit code {code}: {error}"]
    best = fitting[0]
    problems = []
    if best["peak_bytes"] > answer["memory_bytes"]:
        problems.append(f"needs {best['peak_bytes']} of {answer['memory_bytes']} bytes")
    code, text, error = call(pcc, "simulate", *step, f"--plan={plan}", "--format=json")
    problems += compare(plan.read_text(), json.loads(text)) if code == 0 else [error]
    steps = [each["step_seconds"] for each in answer["plans"] if "step_seconds" in each]
    if min(steps) < answer["bound_seconds"]:
        problems.append(f"a step of {min(steps)} s is below the bound of {answer['bound_seconds']} s")
    if answer["seconds"] > 66:
        problems.append(f"took {answer['seconds']} s of 60 s")
    if answer["not_tried"] == 0:
        for flags in expert_plans(devices, sizes["batch"]):
            code, text, _ = call(pcc, "simulate", *step, *flags, "--format=json")
            simulation = json.loads(text) if code == 0 else None
            if simulation and peak_of(simulation) <= answer["memory_bytes"] and \
                    simulation["seconds"] < best["step_seconds"] * (1 - 1e-9):
                problems.append(f"{simulation['seconds']} s by {' '.join(flags)}, but the plan takes "
                                f"{best['step_seconds']} s: {best['plan']}")
    return problems


def main():
    pcc, folder, first, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for number in range(first, first + count):
        problems = judge(pcc, folder, number)
        wrong += bool(problems)
        for problem in problems:
            print(f"request {number}: {problem}", flush=True)
    print(f"{count - wrong} of {count} requests answered right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
