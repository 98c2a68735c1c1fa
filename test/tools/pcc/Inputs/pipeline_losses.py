# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares losses of pipelines with those of one rank: pipeline_losses.py PCC FOLDER [--models …] [--stages …] [--schedules …]
#
# Trains the models mlp, gpt (with tied embedding) and resnet, each of eight layers, on stages of dp=2 x tp=2 ranks, in
# even and uneven parts. Prints for each model the largest relative difference of a loss, and the distance of all
# parameters from those of one rank, relative to the distance that training has moved them. Then prints the same for the
# four ranks of one stage, which add in the same order. Then prints the measured peak of live bytes of a rank, and its
# allocated bytes. Exits with 1 if a command fails, if a loss differs from one rank's by more than --tolerance, or if the
# bytes of a rank differ from those that `pcc simulate` predicts.
import argparse
import array
import json
import math
import struct
import subprocess
import sys

SCHEDULES = ["gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "zb-h2", "zb-v", "dualpipe-v", "auto"]
VEES = ["zb-v", "dualpipe-v"]
RATES = {"mlp": 0.05, "gpt": 0.3, "resnet": 0.003}
# Norms of few images amplify the rounding of a sum in every layer, far more than training does.
FLAGS = {"resnet": ["--freeze-batch-norm"]}
EXAMPLES = {
    "gpt": ["gpt2", "layers=8", "width=32", "batch=32", "sequence=8", "heads=4", "vocabulary=64"],
    "resnet": ["resnet", "batch=64", "image=16", "stem=3"],
}
# The layers' names, and the constraints that split them over tp.
LAYERS = {"mlp": r"/layer(\\d)/", "gpt": r"/h\\.(\\d)/", "resnet": r"/(layer\\d/\\d)/"}
SPLITS = {
    "mlp": r"""constraint { parameter: "w[0246]" sharding: "[_, tp]" }
constraint { parameter: "w[1357]" sharding: "[tp, _]" }
constraint { input: "x" sharding: "[dp, _]" }""",
    "gpt": r"""constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.weight" sharding: "[tp, _]" }
constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.bias" sharding: "[tp]" }
constraint { parameter: "h\\.\\d\\.(attn\\.proj|out)\\.weight" sharding: "[_, tp]" }""",
    "resnet": r"""constraint { parameter: "layer\\d\\.\\d\\.conv1\\.weight" sharding: "[tp, _, _, _]" }""",
}


def write_mlp(path):
    """Eight dense layers of width 32 on a batch of 32."""
    matrix, rows = "tensor<32x32xf32>", "tensor<32x32xf32>"
    lines = [f"graph.parameter @w{n} : {matrix} init(#graph.init<normal, 0.0, 0.3>)" for n in range(8)]
    arguments = ", ".join(f'%w{n}: {matrix} {{graph.role = #graph.role<parameter "w{n}">}}' for n in range(8))
    lines.append(f'func.func @forward(%x: {rows} {{graph.role = #graph.role<input "x">}}, {arguments})'
                 f' -> ({rows} {{graph.role = #graph.role<output "logits">}}) {{')
    value = "%x"
    for n in range(8):
        lines.append(f'%m{n} = graph.matmul {value}, %w{n} : {rows}, {matrix} loc("/layer{n}/matmul")')
        lines.append(f'%t{n} = graph.tanh %m{n} : {rows} loc("/layer{n}/tanh")')
        value = f"%t{n}"
    lines += [f"return {value} : {rows}", "}"]
    open(path, "w").write("\n".join(lines) + "\n")


def layout(model, parts, uneven):
    """Returns the layout of eight layers over `parts` parts."""
    counts = [8 // parts] * parts
    if uneven:
        counts[0], counts[-1] = counts[0] + 1, counts[-1] - 1
    text = [f"t*{count}" for count in counts]
    if model != "mlp":
        text[0], text[-1] = "E " + text[0], text[-1] + " L"
    return " | ".join(text)


def read_parameters(path):
    """Reads the f32 tensors of a .safetensors file."""
    data = open(path, "rb").read()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:begin]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, end = entry["data_offsets"]
            tensors[name] = array.array("f", data[begin + first:begin + end])
    return tensors


def distance(a, b):
    """Returns the Euclidean distance of two sets of parameters."""
    return math.sqrt(sum((x - y) ** 2 for name in a for x, y in zip(a[name], b[name])))


class Trainer:
    """Trains one model in several ways."""

    def __init__(self, options, model):
        self.options, self.model = options, model
        self.path = f"{options.folder}/{model}.mlir"
        self.pins = f"{options.folder}/{model}.textproto"
        if model == "mlp":
            write_mlp(self.path)
        else:
            name, *sizes = EXAMPLES[model]
            subprocess.run([options.pcc, "example", name, *(f"--set={size}" for size in sizes), "-o", self.path],
                           check=True)

    def write_pins(self, layout):
        stages = f'stages {{ layer: "{LAYERS[self.model]}" layout: "{layout}" }}\n' if layout else ""
        open(self.pins, "w").write(f'mesh: "dp=2, tp=2"\n{SPLITS[self.model]}\n{stages}')
        return [f"--constraints={self.pins}", "--parallel-mode=semi_auto_parallel"]

    def call(self, subcommand, flags, rate=None):
        """Returns the JSON output of a subcommand of pcc for the model; exits with a message if it fails."""
        rate = RATES[self.model] if rate is None else rate
        done = subprocess.run(
            [self.options.pcc, subcommand, self.path, "--loss=softmax_cross_entropy", "--format=json",
             f"--optimizer=momentum,lr={rate},momentum=0.9", "--micro-batches=8", *FLAGS.get(self.model, []), *flags],
            capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{self.model} {subcommand} {' '.join(flags)}: {done.stderr or done.stdout}")
        return json.loads(done.stdout)

    def train(self, flags, rate=None):
        """Returns losses, parameters, and bytes by rank as (peak live, allocated)."""
        file = self.path + ".safetensors"
        report = self.call("run", ["--data=synthetic", f"--steps={self.options.steps}", f"--save={file}", *flags], rate)
        taken = {rank["rank"]: (rank["peak_live"], rank["allocated"]) for rank in report["memory"]}
        return [step["loss"] for step in report["steps"]], read_parameters(file), taken

    def plan(self, flags):
        """Returns the same bytes, predicted from the program alone."""
        return {rank: (group["bytes"]["peak_live"], group["bytes"]["planned"])
                for group in self.call("simulate", flags)["classes"] for rank in group["ranks"]}

    def compare(self):
        """Returns true if all differences are within the tolerance."""
        _, first, _ = self.train([], rate=0)
        one = self.train([])
        four = self.train([*self.write_pins(""), "--device-num=4"])

        def differences(reference, trained):
            loss = max(abs(a - b) / abs(a) for a, b in zip(reference[0], trained[0]))
            return loss, distance(reference[1], trained[1]) / distance(first, reference[1])

        within = True
        for stages in self.options.stages:
            for schedule in self.options.schedules:
                chunks = 2 if schedule in VEES or schedule == "interleaved-1f1b" else 1
                for uneven in (False, True) if chunks * stages < 8 else (False,):
                    flags = self.write_pins(layout(self.model, chunks * stages, uneven))
                    flags += [f"--pipeline-stages={stages}", f"--device-num={4 * stages}",
                              f"--pipeline-schedule={schedule}"]
                    if schedule == "interleaved-1f1b":
                        flags.append("--virtual-stages=2")
                    trained, planned = self.train(flags), self.plan(flags)
                    figures = [*differences(one, trained), *differences(four, trained)]
                    within &= figures[0] <= self.options.tolerance and trained[2] == planned
                    live, allocated = max(trained[2].values())
                    print(f"{self.model:7} {stages} stages {schedule:17} {'uneven' if uneven else 'even  '}",
                          " ".join(f"{figure:.1e}" for figure in figures), f"{live:.0f} of {allocated:.0f} bytes"
                          + ("" if trained[2] == planned else f", expected {planned}, got {trained[2]}"), flush=True)
        return within


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pcc")
    parser.add_argument("folder")
    parser.add_argument("--models", nargs="+", default=list(LAYERS))
    parser.add_argument("--stages", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--schedules", nargs="+", default=SCHEDULES)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    options = parser.parse_args()
    return not all([Trainer(options, model).compare() for model in options.models])


if __name__ == "__main__":
    sys.exit(main())
