# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of models.py in torch."""

import torch
import torch.nn.functional as F
from torch import nn

import models


def mlp(sizes):
    width = sizes["width"]
    return nn.Sequential(nn.Flatten(), nn.Linear(784, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
                         nn.Linear(width, sizes["classes"]))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, sequence, width = x.shape
        parts = self.qkv(self.ln1(x)).split(width, 2)
        q, k, v = (part.view(batch, sequence, self.heads, -1).transpose(1, 2) for part in parts)
        rows = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
        x = x + self.proj(rows.reshape(batch, sequence, width))
        return x + self.out(F.gelu(self.fc(self.ln2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        width, vocabulary = sizes["width"], sizes["vocabulary"]
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(0.02 * torch.randn(sizes["sequence"], width))
        self.blocks = nn.Sequential(*(Block(width, sizes["heads"]) for _ in range(sizes["layers"])))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.words(ids) + self.places))).flatten(0, 1)


def normalized(before, after, window, stride=1):
    return nn.Sequential(nn.Conv2d(before, after, window, stride, window // 2, bias=False), nn.BatchNorm2d(after))


class Residual(nn.Module):
    def __init__(self, before, inner, stride, deep):
        super().__init__()
        after = 4 * inner if deep else inner
        layers = ([normalized(before, inner, 1), nn.ReLU(), normalized(inner, inner, 3, stride), nn.ReLU(),
                   normalized(inner, after, 1)] if deep else
                  [normalized(before, inner, 3, stride), nn.ReLU(), normalized(inner, after, 3)])
        self.layers = nn.Sequential(*layers)
        same = stride == 1 and before == after
        self.short = nn.Identity() if same else normalized(before, after, 1, stride)

    def forward(self, x):
        return F.relu(self.layers(x) + self.short(x))


def resnet(sizes):
    deep, stem = sizes["depth"] == 50, sizes["stem"]
    layers = [normalized(3, 64, stem, 2 if stem == 7 else 1), nn.ReLU()]
    if stem == 7:
        layers.append(nn.MaxPool2d(3, 2, 1))
    before = 64
    for stage, blocks in enumerate((3, 4, 6, 3) if deep else (2, 2, 2, 2)):
        for index in range(blocks):
            layers.append(Residual(before, 64 << stage, 2 if stage and not index else 1, deep))
            before = (256 if deep else 64) << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(models.features(sizes), sizes["classes"]))


def build(timed):
    """A network, and the inputs and labels of a step."""
    sizes = timed.sizes
    if timed.model == "gpt":
        shape = (sizes["batch"], sizes["sequence"])
        inputs, labels = (torch.randint(0, sizes["vocabulary"], shape) for _ in range(2))
        return Gpt(sizes), inputs, labels.flatten()
    edge, channels = (28, 1) if timed.model == "mlp" else (sizes["image"], 3)
    network = mlp(sizes) if timed.model == "mlp" else resnet(sizes)
    return network, torch.rand(sizes["batch"], channels, edge, edge), torch.randint(0, sizes["classes"], (sizes["batch"],))
