#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the module in torch as the tutorial trains it in pcc, and prints the same lines."""

import torch
from torch.nn.functional import cross_entropy

from sorter import Sorter, rows

BATCH, EPOCHS = 64, 4


def train_epochs(count):
    """Yields the losses of each epoch."""
    torch.manual_seed(0)
    model = Sorter()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
    tokens, labels = rows(2048, seed=0)
    for _ in range(count):
        losses = []
        for x, y in zip(tokens.split(BATCH), labels.split(BATCH)):
            optimizer.zero_grad()
            loss = cross_entropy(model(x).flatten(0, 1), y.flatten())
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        yield losses


if __name__ == "__main__":
    for epoch, losses in enumerate(train_epochs(EPOCHS), 1):
        print(f"epoch: {epoch} step: {len(losses)}, loss is {losses[-1]:.6g}", flush=True)
