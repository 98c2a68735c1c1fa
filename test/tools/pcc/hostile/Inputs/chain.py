# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an ONNX model as protobuf text: a chain of nodes on a matrix of 8 x 8.

  chain.py COUNT STEP…

Node k of a STEP reads the value before it, `p`, and perhaps the value before that, `q`, or the input, `x`. Several steps
alternate. `mul:p,q` is the product of the last two values.
"""

import sys

count, steps = int(sys.argv[1]), [step.split(":") for step in sys.argv[2:]]
names = {"relu": "Relu", "sin": "Sin", "mul": "Mul", "add": "Add", "sub": "Sub", "softmax": "Softmax", "matmul": "MatMul"}
values = ["x", "x"]
print("ir_version: 8 opset_import { version: 16 } graph {")
for index in range(count):
    op, inputs = steps[index % len(steps)]
    by_name = {"x": "x", "w": "w", "p": values[-1], "q": values[-2]}
    text = " ".join(f'input: "{by_name[name]}"' for name in inputs.split(","))
    print(f'node {{ {text} output: "y{index}" op_type: "{names[op]}" }}')
    values.append(f"y{index}")
matrix = "dims: 8 dims: 8 " + " ".join(f"float_data: {(i % 9 == 0) * 0.5}" for i in range(64))
print(f'initializer {{ name: "w" data_type: 1 {matrix} }}')
dims = "dim { dim_value: 8 } dim { dim_value: 8 }"
print(f'input {{ name: "x" type {{ tensor_type {{ elem_type: 1 shape {{ {dims} }} }} }} }}')
print(f'output {{ name: "{values[-1]}" }} }}')
