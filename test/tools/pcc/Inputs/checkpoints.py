# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains, stops at checkpoints and continues: checkpoints.py exact|evaluated|layouts BIN FOLDER [--sample=N] [--seed=N] [--only=TEXT]

exact: a case is a model, an optimizer and a layout. It trains 7 steps of shuffled data, 3 in an epoch, with a checkpoint
after each. Then it continues from one of them, to the end. Losses and the numbers of steps must be equal, and so must
all bytes of the last checkpoint: parameters, optimizer states, running statistics, manifest.

evaluated: the same cases, also with an evaluation after each step. It changes no loss and no parameter. A training that
continues has the same evaluations in its last checkpoint as one without a stop.

layouts: a case is a model and an ordered pair of layouts. The first trains 3 steps and writes a checkpoint, the second
continues. Its losses must be those that one rank has in a row, within the tolerance of equal layouts (1e-5). The
ResNet-18 trains with the running statistics of its norms, since microbatches have statistics of their own.

Cases are a seeded sample of N, or all of them with N=0 or PCC_TEST_FULL.
"""

import argparse
import collections
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

STEPS = 7
TOLERANCE = 1e-5  # test/tools/pcc/pipelines/pipeline-losses.test
SPLITS = {
    "mlp": r"""constraint { parameter: "layer1\\.weight" sharding: "[tp, _]" }
constraint { parameter: "layer1\\.bias" sharding: "[tp]" }
constraint { parameter: "layer2\\.weight" sharding: "[_, tp]" }""",
    "gpt": r"""constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.weight" sharding: "[tp, _]" }
constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.bias" sharding: "[tp]" }
constraint { parameter: "h\\.\\d\\.(attn\\.proj|out)\\.weight" sharding: "[_, tp]" }""",
    # The stages of a pipeline have copies of the table, and each copy has a sharding of its own.
    "tied": r"""constraint { parameter: "wte\\.weight" sharding: "[tp, _]" }
constraint { op: "/head/matmul" in: "[dp, _, tp], [_, tp]" }""",
    "resnet": r"""constraint { parameter: "layer\\d\\.\\d\\.conv1\\.weight" sharding: "[tp, _, _, _]" }
constraint { parameter: "layer\\d\\.\\d\\.bn1\\..*" sharding: "[tp]" }
constraint { parameter: "layer\\d\\.\\d\\.conv2\\.weight" sharding: "[_, tp, _, _]" }""",
    "dropout": 'constraint { parameter: "w1" sharding: "[tp, _]" }',
    "batch-norm": 'constraint { parameter: "fc1.weight" sharding: "[tp, _]" }',
}
EXAMPLES = {
    "mlp": ["mlp", "batch=32", "width=32"],
    "tied": ["gpt2", "batch=8", "sequence=8", "layers=2", "width=32", "heads=4", "vocabulary=32"],
    "gpt": ["gpt", "batch=8", "sequence=8", "layers=2", "width=32", "heads=4", "vocabulary=32"],
    "resnet": ["resnet", "batch=8", "image=16", "stem=3"],
}
BATCH = {"mlp": 32, "tied": 8, "gpt": 8, "dropout": 16, "batch-norm": 16, "resnet": 8}
DROPOUT = """graph.parameter @w1 : tensor<12x8xf32> init(#graph.init<normal, 0.0, 0.5>)
graph.parameter @w2 : tensor<6x12xf32> init(#graph.init<normal, 0.0, 0.5>)
func.func @forward(%x: tensor<16x8xf32> {graph.role = #graph.role<input "x">},
                   %w1: tensor<12x8xf32> {graph.role = #graph.role<parameter "w1">},
                   %w2: tensor<6x12xf32> {graph.role = #graph.role<parameter "w2">})
    -> (tensor<16x6xf32> {graph.role = #graph.role<output "logits">}) {
  %0 = graph.matmul %x, %w1 {transpose_rhs} : tensor<16x8xf32>, tensor<12x8xf32>
  %row = graph.iota axis = 0 : tensor<16x12xi64>
  %twelve = graph.constant dense<12> : tensor<16x12xi64>
  %start = graph.mul %row, %twelve : tensor<16x12xi64>
  %column = graph.iota axis = 1 : tensor<16x12xi64>
  %index = graph.add %start, %column : tensor<16x12xi64>
  %seed = graph.constant dense<11> : tensor<i64>
  %1 = graph.dropout %0, %index, %seed rate = 0.25 : tensor<16x12xf32>, tensor<i64>
  %2 = graph.matmul %1, %w2 {transpose_rhs} : tensor<16x12xf32>, tensor<6x12xf32>
  return %2 : tensor<16x6xf32>
}
"""

OPTIMIZERS = {
    "sgd": "sgd,lr=0.05,schedule=step,every=2,factor=0.5",
    "momentum": "momentum,lr=0.05,momentum=0.9,nesterov=true,weight_decay=0.01",
    "small": "momentum,lr=0.0001 --freeze-batch-norm",
    "adam": "adam,lr=0.01,schedule=cosine,steps=7,warmup=2",
    "adamw": "adamw,lr=0.01",
    "lamb": "lamb,lr=0.01,schedule=linear,steps=9,least=0.001",
    "adagrad": "adagrad,lr=0.05",
    # Some of the first steps are skipped.
    "f16, scaled": "adam,lr=0.01 --precision=f16 --loss-scale=dynamic:1e7 --clip-norm=0.5",
}
DATA = ["--parallel-mode=data_parallel", "--gradients-mean"]
SEMI = ["--parallel-mode=semi_auto_parallel"]
STAGES = ["--pipeline-stages=2", "--micro-batches=2", "--micro-reduction=mean"]


def sharded(level):
    return ["--enable-parallel-optimizer", f"--parallel-optimizer-level={level}", "--parallel-optimizer-threshold=0"]


LAYOUTS = {
    "1": [],
    "2 dp": ["--device-num=2", *DATA],
    "2 dp x 2 tp": ["--device-num=4", *SEMI],
    "2 stages x 2 dp, level 3": ["--device-num=4", *DATA, *STAGES, *sharded(3)],
    "2 stages x 2 dp x 2 tp": ["--device-num=8", *SEMI, *STAGES],
}
EXACT_LAYOUTS = {
    **LAYOUTS,
    "4 dp, level 1": ["--device-num=4", *DATA, *sharded(1)],
    "4 dp, level 2": ["--device-num=4", *DATA, *sharded(2)],
    "4 dp, level 3": ["--device-num=4", *DATA, *sharded(3)],
    "microbatches": ["--micro-batches=4"],
    "2 dp, copies": ["--device-num=2", *DATA, "--micro-batches=2", "--interleave-num=2"],
    "2 stages, copies": ["--device-num=2", "--parallel-mode=hybrid_parallel", *STAGES, "--interleave-num=2"],
}
# A norm of the whole batch has no microbatches.
WITHOUT_MICROBATCHES = ["1", "2 dp", "2 dp x 2 tp", "4 dp, level 1", "4 dp, level 2", "4 dp, level 3"]


class Failure(Exception):
    pass


class Trainer:
    def __init__(self, options):
        self.pcc, self.runner = options.bin / "pcc", options.bin / "pcc-run"
        self.folder = options.folder
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.programs, self.models = {}, {}

    def call(self, *command):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"{' '.join(str(word) for word in command)}: {done.returncode}: {done.stderr[-600:]}")
        return done.stdout

    def model(self, name):
        if name not in self.models:
            path = self.folder / f"{name}.mlir"
            if name in EXAMPLES:
                family, *sizes = EXAMPLES[name]
                self.call(self.pcc, "example", family, *[f"--set={size}" for size in sizes], "-o", path)
            elif name == "dropout":
                path.write_text(DROPOUT)
            else:
                shutil.copy(Path(__file__).parent / "batch-norm.mlir", path)
            rows = "[dp, _, _, _]" if name in ("mlp", "resnet") else "[dp, _]"
            constraints = f'mesh: "dp=2, tp=2"\n{SPLITS[name]}\nconstraint {{ input: "x" sharding: "{rows}" }}\n'
            (self.folder / f"{name}.textproto").write_text(constraints)
            self.models[name] = path
        return self.models[name]

    def program(self, model, optimizer, flags):
        key = (model, optimizer, tuple(flags))
        if key not in self.programs:
            path = self.folder / f"{len(self.programs)}.pcx"
            path_of_model = self.model(model)
            if SEMI[0] in flags:
                flags = [*flags, f"--constraints={self.folder / (model + '.textproto')}"]
            self.call(self.pcc, "compile", path_of_model, "--loss=softmax_cross_entropy",
                      *f"--optimizer={OPTIMIZERS[optimizer]}".split(), *flags, "-o", path)
            self.programs[key] = path
        return self.programs[key]

    def losses(self, program, model, *flags):
        """Trains shuffled data with three steps in an epoch. Returns the losses by step."""
        rows = 3 * BATCH[model] + 1
        text = self.call(self.runner, program, f"--data=synthetic:{rows}", "--shuffle", "--seed=3", "--format=json", *flags)
        return {step["step"]: step["loss"] for step in json.loads(text)["steps"]}


def same_files(one, other, pattern="*"):
    """Whether two checkpoints have the same files with the same bytes."""
    names = sorted(path.name for path in one.glob(pattern))
    return names == sorted(path.name for path in other.glob(pattern)) and all(
        (one / name).read_bytes() == (other / name).read_bytes() for name in names)


def exact_case(trainer, model, optimizer, layout, at):
    program = trainer.program(model, optimizer, EXACT_LAYOUTS[layout])
    whole, resumed = trainer.folder / "whole", trainer.folder / "resumed"
    for path in (whole, resumed):
        shutil.rmtree(path, ignore_errors=True)
    expected = trainer.losses(program, model, f"--steps={STEPS}", f"--checkpoint={whole}", "--checkpoint-every=1")
    got = trainer.losses(program, model, f"--steps={STEPS}", f"--checkpoint={resumed}",
                         f"--resume={whole / f'step-{at:08}'}")
    if got != {step: loss for step, loss in expected.items() if step > at}:
        raise Failure(f"losses {got} instead of {expected}")
    if not same_files(whole / f"step-{STEPS:08}", resumed / f"step-{STEPS:08}"):
        raise Failure("the last checkpoint differs")


def evaluated_case(trainer, model, optimizer, layout, at):
    program = trainer.program(model, optimizer, EXACT_LAYOUTS[layout])
    folders = [trainer.folder / name for name in ("plain", "whole", "resumed")]
    plain, whole, resumed = (folder / f"step-{STEPS:08}" for folder in folders)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    evaluation = ["--eval-every=1", f"--eval-data=synthetic:{BATCH[model] + 3}", "--metrics=accuracy,f1"]
    expected = trainer.losses(program, model, f"--steps={STEPS}", f"--checkpoint={folders[0]}")
    got = trainer.losses(program, model, f"--steps={STEPS}", f"--checkpoint={folders[1]}", "--checkpoint-every=1", *evaluation)
    if got != expected:
        raise Failure(f"losses {got} with evaluations instead of {expected}")
    if not same_files(plain, whole, "rank-*"):
        raise Failure("the last checkpoint differs with evaluations")
    trainer.losses(program, model, f"--steps={STEPS}", f"--checkpoint={folders[2]}",
                   f"--resume={folders[1] / f'step-{at:08}'}", *evaluation)
    if not same_files(whole, resumed):
        raise Failure("the last checkpoint differs after a stop")


def exact_cases():
    for model, optimizer, layout in itertools.product(BATCH, OPTIMIZERS, EXACT_LAYOUTS):
        fits = model != "batch-norm" or layout in WITHOUT_MICROBATCHES
        if fits and (model == "resnet") == (optimizer == "small"):
            for at in range(1, STEPS):
                yield model, optimizer, layout, at


def layout_case(trainer, model, first, second):
    optimizer = "small" if model == "resnet" else "adam"
    programs = [trainer.program(model, optimizer, LAYOUTS[name]) for name in ("1", first, second)]
    start = trainer.folder / "start"
    shutil.rmtree(start, ignore_errors=True)
    expected = trainer.losses(programs[0], model, f"--steps={STEPS}")
    trainer.losses(programs[1], model, "--steps=3", f"--checkpoint={start}")
    got = trainer.losses(programs[2], model, f"--steps={STEPS}", f"--resume={start}")
    if list(got) != [4, 5, 6, 7]:
        raise Failure(f"steps {list(got)}")
    worst = max(abs(got[step] - expected[step]) / abs(expected[step]) for step in got)
    if not worst <= TOLERANCE:
        raise Failure(f"losses differ by {worst:.1e}")


def layout_cases():
    for model in EXAMPLES:
        for first, second in itertools.permutations(LAYOUTS, 2):
            yield model, first, second


MODES = {"exact": (exact_cases, exact_case), "evaluated": (exact_cases, evaluated_case), "layouts": (layout_cases, layout_case)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("bin", type=lambda text: Path(text).resolve())
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("PCC_TEST_ROTATION", "0")))
    parser.add_argument("--only", default="", help="cases whose names contain this")
    options = parser.parse_args()
    list_cases, run_case = MODES[options.mode]
    cases = [case for case in list_cases() if options.only in ", ".join(map(str, case))]
    count = len(cases)
    if options.sample and not os.environ.get("PCC_TEST_FULL"):
        cases = random.Random(options.seed).sample(cases, min(options.sample, count))
    trainer = Trainer(options)
    held, told = collections.Counter(), collections.Counter()
    for case in cases:
        told[case[0]] += 1
        try:
            run_case(trainer, *case)
            held[case[0]] += 1
        except Failure as failure:
            print(f"{', '.join(map(str, case))}: {failure}")
    for model, number in told.items():
        print(f"{model}: {held[model]} of {number}")
    print(f"{options.mode}: {sum(held.values())} of {len(cases)} held ({count} possible)")
    return 0 if sum(held.values()) == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
