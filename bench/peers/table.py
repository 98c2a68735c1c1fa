# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the figures of all programs in one table: milliseconds a step, and how many times pcc's on as many devices."""

import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
rows = []
for name in ("pcc", "jax1", "jax8", "torch", "ddp", "pcc_models", "jax_models1", "jax_models8", "torch_models"):
    rows += json.loads((folder / f"{name}.json").read_text())


def question(row):
    """What is asked of pcc and of its peers alike."""
    return row.get("model", f"mlp, batch {row.get('batch')}"), row["devices"]


own = {question(row): row["median_ms"] for row in rows if row["who"] == "pcc"}
print("| model | devices | who | ms a step (median) | fastest | times pcc's | compile, s |")
print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
for row in sorted(rows, key=question):
    model, devices = question(row)
    ratio = f"{row['median_ms'] / own[question(row)]:.2f}" if question(row) in own else ""
    compiled = f"{row['compile_s']:.2f}" if row.get("compile_s") is not None else ""
    print(f"| {model} | {devices} | {row['who']} | {row['median_ms']:.3f} | {row['min_ms']:.3f} | {ratio} | {compiled} |")
(folder / "all.json").write_text(json.dumps(rows, indent=2) + "\n")
