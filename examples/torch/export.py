#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes sorter.onnx and its data: export.py [FOLDER], by default the current folder."""

import sys
from pathlib import Path

import numpy as np
import torch

from sorter import Sorter, rows

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

torch.manual_seed(0)
model = Sorter()
tokens, _ = rows(64, seed=0)
torch.onnx.export(model.eval(), (tokens,), folder / "sorter.onnx", dynamic_shapes=({0: "batch"},), external_data=False)

for name, count, seed in (("train", 2048, 0), ("test", 512, 1)):
    (folder / name).mkdir(exist_ok=True)
    tokens, labels = rows(count, seed)
    np.save(folder / name / "tokens.npy", tokens.numpy().astype(np.int8))
    np.save(folder / name / "labels.npy", labels.numpy().astype(np.int8))
