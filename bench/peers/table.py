# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the figures of all programs in one table: milliseconds a step, and how many times pcc's on as many devices."""

import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
rows = []
for name in ("pcc", "jax1", "jax8", "torch", "ddp"):
    rows += json.loads((folder / f"{name}.json").read_text())

own = {(row["devices"], row["batch"]): row["median_ms"] for row in rows if row["who"] == "pcc"}
print("| who | devices | batch | ms a step (median) | fastest | times pcc's | compile, s |")
print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
for row in sorted(rows, key=lambda r: (r["batch"], r["devices"])):
    ratio = row["median_ms"] / own[row["devices"], row["batch"]] if (row["devices"], row["batch"]) in own else None
    compiled = f"{row['compile_s']:.2f}" if row.get("compile_s") is not None else ""
    print(f"| {row['who']} | {row['devices']} | {row['batch']} | {row['median_ms']:.3f} | {row['min_ms']:.3f} | "
          f"{f'{ratio:.2f}' if ratio else ''} | {compiled} |")
(folder / "all.json").write_text(json.dumps(rows, indent=2) + "\n")
