#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the communication that is hidden on this machine: tables of docs/performance.md.

  bench/overlap.py BUILD [--ranks=2] [--steps=20]

A GPT of 6 layers runs over emulated links, with tensors split as Megatron splits them, in one to four copies,
and data parallel. The links are such that forward, or backward, communicates as long as it computes. A LLaMA of 2
layers has its positions split, so keys and values travel around a ring. Compiler and simulator know of the machine what
`pcc calibrate` measures first. The machine must do nothing else.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

LAYERS, WIDTH, BATCH, SEQUENCE = 6, 384, 8, 128
LATENCY = 20e-6
LONG = {"layers": 2, "width": 256, "heads": 4, "kv_heads": 4, "feed_forward": 512, "vocabulary": 256, "batch": 1, "sequence": 4096}
RING = """mesh: "sp=%d"
constraint { input: "x" sharding: "[_, sp]" }
"""
PINS = r"""mesh: "tp=%d"
constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.weight" sharding: "[tp, _]" }
constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.bias" sharding: "[tp]" }
constraint { parameter: "h\\.\\d\\.(attn\\.proj|out)\\.weight" sharding: "[_, tp]" }
"""


class Bench:
    def __init__(self, options, folder):
        self.pcc = str(Path(options.build) / "bin" / "pcc")
        self.ranks, self.steps, self.folder = options.ranks, options.steps, Path(folder)
        self.cluster = str(self.folder / "cluster.textproto")
        self.model = str(self.folder / "gpt.mlir")
        pins = self.folder / "tensors.textproto"
        pins.write_text(PINS % self.ranks)
        self.tensors = ["--parallel-mode=semi_auto_parallel", f"--constraints={pins}"]
        self.data = ["--parallel-mode=data_parallel"]
        self.run("calibrate", f"--device-num={self.ranks}", "-o", self.cluster)
        sizes = {"layers": LAYERS, "width": WIDTH, "batch": BATCH, "sequence": SEQUENCE}
        self.make_model("gpt", sizes)

    def make_model(self, name, sizes):
        self.run("example", name, *[f"--set={key}={value}" for key, value in sizes.items()], "-o", self.model)

    def run(self, *command):
        return subprocess.run([self.pcc, *command], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    def compile(self, link, *options):
        program = str(self.folder / "step.pcx")
        self.run("compile", self.model, "--loss=softmax_cross_entropy", "--optimizer=sgd,lr=0.1",
                 f"--device-num={self.ranks}", f"--cluster={self.cluster}", *link, *options, "-o", program)
        return program

    def time(self, link, *options):
        """The best step in seconds, the best of its passes, and what the simulator says."""
        step, events, simulated = self.trace(link, *options)
        return step, passes(events), simulated

    def trace(self, link, *options):
        """The best step in seconds, the events of the first rank, and the simulator's seconds."""
        program, trace = self.compile(link, *options), self.folder / "trace.json"
        report = json.loads(self.run("run", program, "--data=synthetic:64", "--epochs=100000", f"--steps={self.steps}",
                                     "--log-every=0", "--format=json", f"--trace={trace}", *link))
        simulated = json.loads(self.run("simulate", program, f"--cluster={self.cluster}", "--format=json", *link))
        events = [event for event in json.loads(trace.read_text()) if event["ph"] == "X" and event["pid"] == 0]
        return report["step_seconds"]["min"], events, simulated["seconds"]


def passes(events):
    """Of the first rank: the least seconds of forward and backward, and which parts of what they compute are the layers'
    attentions and their networks, what lies between two collectives.

    Forward ends with the last product of the head; the update is left out.
    """
    steps = defaultdict(list)
    for event in events:
        if event["tid"] == 0 and not event["name"].endswith(".update"):
            steps[event["args"]["step"]].append(event)
    best = {}
    for number in sorted(steps)[1:]:
        end = lambda events: max(e["ts"] + e["dur"] for e in events)
        turn = end([e for e in steps[number] if e["name"] == "/head/matmul"])
        forward = [e for e in steps[number] if e["ts"] < turn]
        backward = [e for e in steps[number] if e["ts"] >= turn]
        spans = {"forward": (turn - min(e["ts"] for e in forward), forward), "backward": (end(backward) - turn, backward)}
        for name, (length, events) in spans.items():
            if name not in best or length / 1e6 < best[name][0]:
                best[name] = (length / 1e6, *shares_of(events))
    return best


def shares_of(events):
    part = {"attention": 0, "network": 0, "outside": 0}
    for event in events:
        layer = re.match(r"/h\.\d+/(attn|ln1)?", event["name"])
        part["outside" if not layer else "attention" if layer[1] else "network"] += event["dur"]
    return part["attention"] / sum(part.values()), part["network"] / sum(part.values())


def all_reduce(ranks, rate, copies=1):
    """Seconds of one all-reduce of a layer's activations over links of `rate` bytes a second (docs/spec/machine.md)."""
    size, n = 4 * BATCH * SEQUENCE * WIDTH / copies, ranks
    return min(2 * (n - 1) * LATENCY + 2 * (n - 1) / n * size / rate, LATENCY * (n - 1) + (n - 1) * size / rate)


def hidden(length, alone, shares, moving, copies):
    """The formula's seconds for a pass, and the part of what it lets be hidden that is: with one collective of K seconds
    behind each part of C seconds, the sum of max(C, K), and min(C, K) / copies for the first part; C + K with one copy."""
    parts = [alone * share / LAYERS for share in shares]
    serial = alone + 2 * LAYERS * moving
    if copies == 1:
        return serial, None
    formula = alone * (1 - sum(shares)) + LAYERS * sum(max(c, moving) for c in parts) + min(parts[0], moving) / copies
    return formula, (serial - length) / (serial - formula)


def show_tensors(bench):
    single = bench.time([], *bench.tensors)
    rates = {}
    for name in ("forward", "backward"):
        length, *shares = single[1][name]
        each = length * sum(shares) / (2 * LAYERS) - 2 * (bench.ranks - 1) * LATENCY
        rates[name] = 2 * (bench.ranks - 1) / bench.ranks * 4 * BATCH * SEQUENCE * WIDTH / each
    links = [("none", None)] + [(f"{rate * 8e-9:.2f}Gbps", rate) for rate in sorted(rates.values(), reverse=True)]
    print(f"tensor parallel, {bench.ranks} ranks; ms, best of {bench.steps} steps")
    print("link       copies   step simulated    off | forward formula hidden | backward formula hidden")
    alone = {}
    for text, rate in links:
        for copies in (1, 2, 4):
            link = [f"--link={text},20us"] if rate else []
            step, parts, simulated = bench.time(link, *bench.tensors, f"--interleave-num={copies}")
            alone.setdefault(copies, parts)
            line = f"{text:10} {copies:6} {step * 1e3:6.1f} {simulated * 1e3:9.1f} {simulated / step - 1:6.1%}"
            for name in ("forward", "backward"):
                length = parts[name][0]
                line += f" | {length * 1e3:8.1f}"
                if rate:
                    moving = copies * all_reduce(bench.ranks, rate, copies)
                    formula, part = hidden(length, alone[copies][name][0], alone[copies][name][1:], moving, copies)
                    line += f" {formula * 1e3:7.1f} {'' if part is None else f'{part:.0%}':>6}"
            print(line, flush=True)


def show_data(bench):
    """What can be hidden of K seconds of reductions under C of a backward pass: all but that of the last layer, of the shorter
    of the two."""
    print(f"data parallel, {bench.ranks} ranks; ms, best of {bench.steps} steps")
    print("link       reductions         step simulated    off  formula hidden")
    alone, parts, _ = bench.time([], *bench.data, "--hide-reductions=false")
    for text in ("none", "4Gbps", "2Gbps"):
        steps = {}
        for where, hides in (("in the update", "false"), ("under backward", "true")):
            link = [f"--link={text},20us"] if text != "none" else []
            steps[hides], _, simulated = bench.time(link, *bench.data, f"--hide-reductions={hides}")
            step = steps[hides]
            line = f"{text:10} {where:15} {step * 1e3:7.1f} {simulated * 1e3:9.1f} {simulated / step - 1:6.1%}"
            if link and hides == "true":
                allowed = min(steps["false"] - alone, parts["backward"][0]) * (1 - 1 / LAYERS)
                line += f" {(steps['false'] - allowed) * 1e3:8.1f} {(steps['false'] - step) / allowed:6.0%}"
            print(line, flush=True)


def hidden_seconds(events, kind):
    """Returns the seconds that attention's collectives of a kind take a rank in a step, and those of them in which it
    computes."""
    first = min(event["args"]["step"] for event in events)
    steps = len({event["args"]["step"] for event in events}) - 1
    spans = lambda chosen: [(event["ts"], event["ts"] + event["dur"]) for event in events
                            if event["args"]["step"] > first and chosen(event)]
    computing = spans(lambda event: event["tid"] == 0)
    moving = spans(lambda event: event["cat"] == kind and "/attention" in event["name"])
    hidden = sum(max(0, min(end, until) - max(begin, since)) for begin, end in moving for since, until in computing)
    return sum(end - begin for begin, end in moving) / 1e6 / steps, hidden / 1e6 / steps


def show_ring(bench):
    """Blocks of keys, values and their gradients travel around the ring. Exchanges of halves balance what ranks see."""
    bench.make_model("llama", LONG)
    constraints = bench.folder / "ring.textproto"
    constraints.write_text(RING % bench.ranks)
    ring = ["--parallel-mode=semi_auto_parallel", f"--constraints={constraints}"]
    print(f"positions split, {bench.ranks} ranks; ms, best of {bench.steps} steps")
    print("link         step simulated    off |   ring hidden | halves hidden")
    for text in ("none", "10Gbps", "4Gbps", "2Gbps"):
        link = [f"--link={text},20us"] if text != "none" else []
        step, events, simulated = bench.trace(link, *ring)
        line = f"{text:10} {step * 1e3:6.1f} {simulated * 1e3:9.1f} {simulated / step - 1:6.1%}"
        for kind in ("collective_permute", "block_exchange") if link else ():
            moving, hidden = hidden_seconds(events, kind)
            line += f" | {moving * 1e3:6.1f} {hidden / moving:6.1%}"
        print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(parser.parse_args(), folder)
        show_tensors(bench)
        show_data(bench)
        show_ring(bench)


if __name__ == "__main__":
    main()
