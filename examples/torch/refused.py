#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports models that pcc does not train as they are, and the remedies: refused.py [FOLDER]."""

import sys
from pathlib import Path

import torch
from torch import nn


class Classifier(nn.Module):
    """Has a batch norm, which the exporter folds into the convolution before it."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = nn.Conv2d(1, 8, 4, stride=4), nn.BatchNorm2d(8), nn.Linear(392, 10)

    def forward(self, image):
        return self.head(self.norm(self.conv(image)).relu().flatten(1))


class Positions(nn.Module):
    """Looks positions up in a table, which the exporter does once and for all."""

    def __init__(self):
        super().__init__()
        self.digit, self.position, self.head = nn.Embedding(10, 16), nn.Embedding(32, 16), nn.Linear(16, 10)

    def forward(self, tokens):
        return self.head(self.digit(tokens) + self.position(torch.arange(tokens.shape[1])))


def export(model, inputs, file, **options):
    torch.onnx.export(model.eval(), inputs, file, external_data=False, **options)


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "refused"
folder.mkdir(exist_ok=True)
torch.manual_seed(0)
classifier, images = Classifier(), torch.zeros(32, 1, 28, 28)
export(classifier, (images,), folder / "norm.onnx")
export(classifier, (images,), folder / "norm-kept.onnx", optimize=False)
positions, tokens = Positions(), torch.zeros(64, 11, dtype=torch.long)
export(positions, (tokens,), folder / "table.onnx")
export(positions, (tokens,), folder / "table-kept.onnx", optimize=False)
