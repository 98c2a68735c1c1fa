# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that are timed beside the peers, in one place: what `pcc example` is asked for, and what peers build."""

from dataclasses import dataclass

RATE, MOMENTUM = 0.01, 0.9


@dataclass(frozen=True)
class Timed:
    """A model of these sizes and this type: f32, tf32 (f32 whose products may round their factors), bf16."""
    model: str
    type: str
    sizes: dict
    steps: int

    @property
    def name(self):
        return f"{self.model}.{self.type}"

    def steps_of(self, quick):
        return 5 if quick else self.steps

    def flops(self):
        """Of the products and convolutions of a step: the backward pass has twice those of the forward pass, but for the
        gradient of the inputs, which nobody asks for; attention counts half, since half of the places are masked."""
        forward = FORWARD_FLOPS[self.model](self.sizes)
        return 3 * forward - FIRST_FLOPS[self.model](self.sizes)


def mlp_flops(sizes):
    width = sizes["width"]
    return 2 * sizes["batch"] * (784 * width + width * width + width * sizes["classes"])


def gpt_flops(sizes):
    width, sequence = sizes["width"], sizes["sequence"]
    layer = 24 * width * width + 2 * sequence * width
    return sizes["batch"] * sequence * (sizes["layers"] * layer + 2 * width * sizes["vocabulary"])


def convolutions(sizes):
    """(channels in, channels out, window, stride, edge of the result) of each convolution of a residual network."""
    deep, edge = sizes["depth"] == 50, sizes["image"]
    stem = sizes["stem"]
    edge = edge // 2 if stem == 7 else edge
    yield 3, 64, stem, 2 if stem == 7 else 1, edge
    edge = edge // 2 if stem == 7 else edge
    before = 64
    for stage, blocks in enumerate((3, 4, 6, 3) if deep else (2, 2, 2, 2)):
        inner = 64 << stage
        after = 4 * inner if deep else inner
        for index in range(blocks):
            stride = 2 if stage and not index else 1
            entry, edge = edge, edge // stride
            if deep:
                yield before, inner, 1, 1, entry
                yield inner, inner, 3, stride, edge
                yield inner, after, 1, 1, edge
            else:
                yield before, inner, 3, stride, edge
                yield inner, after, 3, 1, edge
            if stride > 1 or before != after:
                yield before, after, 1, stride, edge
            before = after


def resnet_flops(sizes):
    products = sum(source * target * window * window * edge * edge
                   for source, target, window, _, edge in convolutions(sizes))
    return 2 * sizes["batch"] * (products + features(sizes) * sizes["classes"])


def features(sizes):
    return 2048 if sizes["depth"] == 50 else 512


def first_convolution_flops(sizes):
    source, target, window, _, edge = next(convolutions(sizes))
    return 2 * sizes["batch"] * source * target * window * window * edge * edge


FORWARD_FLOPS = {"mlp": mlp_flops, "gpt": gpt_flops, "resnet": resnet_flops}
# Flops of the ops that read the inputs; words are looked up.
FIRST_FLOPS = {"mlp": lambda sizes: 2 * sizes["batch"] * 784 * sizes["width"], "gpt": lambda sizes: 0,
               "resnet": first_convolution_flops}

HOST = [
    Timed("gpt", "f32", {"batch": 8, "sequence": 256, "layers": 4, "width": 256, "heads": 4, "vocabulary": 256}, 20),
    Timed("resnet", "f32", {"batch": 32, "image": 32, "depth": 18, "stem": 3, "classes": 10}, 10)]

LARGE_MLP = {"batch": 8192, "width": 4096, "classes": 16}
RESNET_50 = {"batch": 256, "image": 224, "depth": 50, "stem": 7, "classes": 1000}
GPU = [
    Timed("mlp", "tf32", LARGE_MLP, 100), Timed("mlp", "bf16", LARGE_MLP, 100),
    Timed("resnet", "tf32", RESNET_50, 30), Timed("resnet", "bf16", RESNET_50, 30),
    Timed("gpt", "bf16", {"batch": 16, "sequence": 1024, "layers": 12, "width": 768, "heads": 12, "vocabulary": 50304}, 50)]
