# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPT and the ResNet-18 of models.py in torch on one device: eager, and compiled by torch.compile."""

import common
import models
import torch
import torch.nn.functional as F
from torch import nn

options = common.arguments()
torch.manual_seed(0)


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


class Residual(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(after), nn.BatchNorm2d(after)
        self.short = nn.Identity()
        if stride > 1 or before != after:
            self.short = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.short(x))


def resnet18(sizes):
    layers = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    before = 64
    for stage in range(4):
        for index in range(2):
            after = 64 << stage
            layers.append(Residual(before, after, 2 if stage and not index else 1))
            before = after
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, sizes["classes"]))


def make(name, compiled):
    """A function that does one step."""
    sizes = models.GPT if name == "gpt" else models.RESNET
    if name == "gpt":
        model, shape = Gpt(sizes), (sizes["batch"], sizes["sequence"])
        inputs, labels = (torch.randint(0, sizes["vocabulary"], shape) for _ in range(2))
        labels = labels.flatten()
    else:
        model = resnet18(sizes)
        inputs = torch.rand(sizes["batch"], 3, sizes["image"], sizes["image"])
        labels = torch.randint(0, sizes["classes"], (sizes["batch"],))
    optimizer = torch.optim.SGD(model.parameters(), lr=models.RATE, momentum=models.MOMENTUM)
    network = torch.compile(model) if compiled else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(network(inputs), labels).backward()
        optimizer.step()

    return step


results = []
for name in ("gpt", "resnet"):
    for compiled in (False, True):
        step = make(name, compiled)
        compile_seconds = common.first_call(step)
        who = f"torch {torch.__version__.split('+')[0]}" + (" compiled" if compiled else "")
        results.append({"who": who, "model": name, "devices": 1, "compile_s": compile_seconds,
                        **common.measure(step, models.steps_of(name, options.quick))})
common.print_rows(results)
