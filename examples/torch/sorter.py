# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small GPT that sorts digits, and its data. Plain PyTorch: nothing here knows of pcc.

A row is six random digits and the same digits sorted, without the last one. The model predicts the sorted digits; the
first five positions have no label (-100).
"""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

DIGITS, LENGTH = 10, 6
POSITIONS = 2 * LENGTH - 1
NO_LABEL = -100


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        return self.out(scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm2, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Sorter(nn.Module):
    def __init__(self, width=32, heads=2, layers=2):
        super().__init__()
        self.digit, self.position = nn.Embedding(DIGITS, width), nn.Parameter(0.02 * torch.randn(POSITIONS, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, DIGITS)

    def forward(self, tokens):
        x = self.digit(tokens) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def rows(count, seed):
    """Returns (tokens, labels), both [count, POSITIONS] and int64."""
    digits = torch.randint(DIGITS, (count, LENGTH), generator=torch.Generator().manual_seed(seed))
    row = torch.cat([digits, digits.sort().values], dim=1)
    tokens, labels = row[:, :-1], row[:, 1:].clone()
    labels[:, : LENGTH - 1] = NO_LABEL
    return tokens, labels
