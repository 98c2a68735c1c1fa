#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads trained parameters into the module and evaluates it: evaluate.py FILE.safetensors [FOLDER].

FOLDER gets 64 rows and what torch computes from them, as `pcc verify --test-data` reads them.
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy

from sorter import NO_LABEL, Sorter, rows

model = Sorter()
print(model.load_state_dict(load_file(sys.argv[1]), strict=True))
tokens, labels = rows(512, seed=1)
with torch.no_grad():
    scores = model.eval()(tokens)
counted = labels != NO_LABEL
print(f"accuracy: {(scores.argmax(-1) == labels)[counted].float().mean().item():.4f}")
print(f"perplexity: {cross_entropy(scores[counted], labels[counted]).exp().item():.4f}")

if len(sys.argv) > 2:
    from onnx import numpy_helper

    folder = Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    for name, values in (("input_0.pb", tokens[:64]), ("output_0.pb", scores[:64])):
        (folder / name).write_bytes(numpy_helper.from_array(values.numpy()).SerializeToString())
