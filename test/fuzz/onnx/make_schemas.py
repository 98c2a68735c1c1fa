# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes Schemas.inc: element types and attributes of the operators that pcc imports, by opset, as the package 'onnx' has them.

  .venv-onnxruntime/bin/python test/fuzz/onnx/make_schemas.py > test/fuzz/onnx/Schemas.inc
A version that changes neither the types nor the attributes gets no row.
"""

import re
from pathlib import Path

import onnx.defs

ROOT = Path(__file__).resolve().parents[3]
NEWEST_OPSET = 28
NAMES = {"tensor(float)": "f32", "tensor(float16)": "f16", "tensor(bfloat16)": "bf16", "tensor(int64)": "i64",
         "tensor(int32)": "i32", "tensor(int8)": "i8", "tensor(bool)": "i1"}
ORDER = list(NAMES.values())
# The type parameter of operators whose relevant type is not that of the first input.
TYPE_PARAMETERS = {"OneHot": "T3", "ConstantOfShape": "T2"}


def imported_operators():
    """The operators in the importer's tables."""
    names = set()
    for file in (ROOT / "compiler/import/operators").glob("**/*Operator*.cpp"):
        names |= set(re.findall(r'"([A-Z]\w+)", \d|\("([A-Z]\w+)"', file.read_text().split("static const Operator rows")[-1]))
    return sorted({first or second for first, second in names})


def row_of(schema):
    """(types, attributes) of one version."""
    values = schema.inputs or schema.outputs
    parameter = TYPE_PARAMETERS.get(schema.name, values[0].type_str)
    constraints = {c.type_param_str: list(c.allowed_type_strs) for c in schema.type_constraints}
    allowed = constraints.get(parameter, [parameter])  # some operators name a type instead
    types = " ".join(sorted((NAMES[t] for t in allowed if t in NAMES), key=ORDER.index))
    return types, " ".join(sorted(schema.attributes))


def main():
    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain == "" and s.since_version <= NEWEST_OPSET]
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("// Written by make_schemas.py: do not edit.")
    for name in imported_operators():
        last = None
        for schema in sorted((s for s in schemas if s.name == name), key=lambda s: s.since_version):
            row = row_of(schema)
            if row != last:
                print(f'{{"{name}", {schema.since_version}, "{row[0]}", "{row[1]}"}},')
            last = row


main()
