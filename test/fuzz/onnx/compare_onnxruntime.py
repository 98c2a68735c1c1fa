# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs graphs that onnx-graphs has written in onnxruntime, and where it lacks a kernel in ONNX's reference evaluator.

  bin/onnx-graphs --count=3000 --write=FOLDER
  .venv-onnxruntime/bin/python test/fuzz/onnx/compare_onnxruntime.py FOLDER [--only=SEED] [--all]
Each model must pass onnx.checker with full checks. Each output must have the type and the shape that pcc gives it, and its
elements within the tolerance that pcc derives for it, times FACTOR. A difference counts as explained where a row of
differences.txt names its kind, its operator and its reason. The last line counts; exit code 1 after an unexplained difference.
"""

import argparse
import collections
import json
import re
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnx.reference
import onnxruntime
from onnx import numpy_helper

# Both implementations round; pcc's tolerance is the error of one of them relative to the exact
# result.
FACTOR = 2
# onnxruntime approximates some f32 functions to about this relative accuracy.
RELATIVE = 2e-5
# Differences below this are ignored: results near zero or one differ by the rounding of their
# terms.
ABSOLUTE = 1e-6
HALF = {np.dtype(np.float16): 2e-3, np.dtype(ml_dtypes.bfloat16): 1.6e-2}
NEWEST_OPSET = 28
ROOT = Path(__file__).resolve().parent


def read_differences():
    """Rows (kind, operator, range of opsets, pattern of the message, reason)."""
    rows = []
    for line in (ROOT / "differences.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            kind, operator, pattern, reason = (part.strip() for part in line.split("|", 3))
            operator, _, opsets = operator.partition("@")
            first, _, last = (opsets or f"1-{NEWEST_OPSET}").partition("-")
            rows.append((kind, operator, range(int(first), int(last) + 1), re.compile(pattern), reason))
    return rows


def explain(rows, opset, kind, operators, message):
    """The row that explains a difference, or None."""
    return next((row for row in rows if row[0] == kind and row[1] in ("*", *operators) and opset in row[2]
                 and row[3].search(message)), None)


def read_tensors(folder, kind):
    files = sorted(folder.glob(f"{kind}_*.pb"), key=lambda f: int(f.stem.split("_")[1]))
    return [numpy_helper.to_array(onnx.load_tensor(file)) for file in files]


def attribute(node, name, otherwise=None):
    return next((onnx.helper.get_attribute_value(a) for a in node.attribute if a.name == name), otherwise)


def constants(model):
    """The arrays of initializers and Constant nodes that hold a tensor."""
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and attribute(node, "value") is not None:
            known[node.output[0]] = numpy_helper.to_array(attribute(node, "value"))
    return known


def draws_numbers(model):
    """Whether a node's results are random."""
    known = constants(model)
    return any(node.op_type == "Dropout" and len(node.input) > 2 and known.get(node.input[2], np.array(False)).any()
               for node in model.graph.node)


def run_onnxruntime(path, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def lacks_kernel(error):
    text = str(error)
    return "NOT_IMPLEMENTED" in text or "is not supported" in text or "isn't supported" in text or "data type" in text.lower() \
        or "INVALID_GRAPH" in text and "opset" in text or "ir_version" in text.lower()


def difference(expected, actual, tolerance):
    """Empty if `actual` is what pcc computes, or how it is not."""
    actual = np.asarray(actual)
    if expected.dtype != actual.dtype or expected.shape != actual.shape:
        return f"pcc has {expected.dtype}{list(expected.shape)}, the judge {actual.dtype}{list(actual.shape)}"
    if expected.size == 0:
        return ""
    a, b = expected.astype(np.float64), actual.astype(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
    error = np.where(np.isnan(error), np.inf, error)
    is_float = expected.dtype.kind not in "iub"
    finite = np.abs(a[np.isfinite(a)])
    relative = HALF.get(expected.dtype, RELATIVE)
    allowed = ABSOLUTE + FACTOR * tolerance + relative * (finite.max() if finite.size else 0) if is_float else 0
    worst = np.unravel_index(np.argmax(error), error.shape)
    if error[worst] <= allowed:
        return ""
    return f"element {[int(i) for i in worst]}: pcc {a[worst]:.9g}, the judge {b[worst]:.9g}, allowed {allowed:.3g}"


class Graph:
    """One written graph and how it was judged."""

    def __init__(self, folder):
        self.path = folder / "model.onnx"
        self.model = onnx.load(self.path)
        self.data = folder / "test_data_set_0"
        self.tolerances = json.loads((folder / "tolerances.json").read_text())
        self.names = [output.name for output in self.model.graph.output]
        self.expected = read_tensors(self.data, "output")
        inputs = read_tensors(self.data, "input")
        self.inputs = {info.name: value for info, value in zip(self.model.graph.input, inputs)}

    def check(self):
        try:
            onnx.checker.check_model(self.model, full_check=True)
            return ""
        except Exception as error:  # every kind of refusal is a finding
            return str(error).strip().replace("\n", " ")

    def outputs(self):
        """(judge, outputs); without a judge, (None, reason)."""
        try:
            if self.uses_bfloat16():
                raise NotImplementedError("bfloat16 inputs: NOT_IMPLEMENTED")
            return "onnxruntime", run_onnxruntime(self.path, self.inputs)
        except Exception as error:
            if not lacks_kernel(error):
                return "onnxruntime", error
        try:
            return "reference", onnx.reference.ReferenceEvaluator(self.model).run(None, self.inputs)
        except Exception as error:
            return None, str(error)

    def uses_bfloat16(self):
        """onnxruntime takes no numpy array of this type."""
        infos = [*self.model.graph.input, *self.model.graph.output]
        return any(info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 for info in infos)

    def producers(self, name):
        """The node of an output and those before it, nearest first."""
        order, seen, queue = [], set(), [name]
        makers = {output: node for node in self.model.graph.node for output in node.output}
        while queue:
            node = makers.get(queue.pop(0))
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            order.append(node.op_type)
            queue.extend(node.input)
        return order


def judge(graph):
    """(judge, list of (kind, operators, message))."""
    problem, nodes = graph.check(), [node.op_type for node in graph.model.graph.node]
    found = [("checker", nodes, problem)] if problem else []
    if draws_numbers(graph.model):
        return "not comparable", found
    name, outputs = graph.outputs()
    if name is None:
        return "no judge", found
    if isinstance(outputs, Exception):
        return "refused", found + [("refusal", nodes, str(outputs).strip().replace("\n", " "))]
    for output, expected, actual in zip(graph.names, graph.expected, outputs):
        text = difference(expected, actual, graph.tolerances[output])
        if text:
            found.append((name, graph.producers(output), f"{output}: {text}"))
    return name, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", type=int)
    parser.add_argument("--all", action="store_true", help="print explained differences, too")
    arguments = parser.parse_args()
    rows = read_differences()
    judges, explained, unexplained, operators = collections.Counter(), collections.Counter(), 0, collections.Counter()
    pattern = f"graph-{arguments.only}" if arguments.only else "graph-*[0-9]"
    for folder in sorted(arguments.folder.glob(pattern), key=lambda f: int(f.name.split("-")[1])):
        if not (folder / "tolerances.json").exists():
            continue
        graph = Graph(folder)
        name, found = judge(graph)
        judges[name] += 1
        for kind, ops, message in found:
            row = explain(rows, graph.model.opset_import[0].version, kind, ops, message)
            if row:
                explained[(row[1], row[4])] += 1
            else:
                unexplained += 1
                operators[ops[0] if ops else "?"] += 1
            if not row or arguments.all:
                print(f"{folder.name}: {kind}: {' < '.join(ops[:6])}: {message[:400]}{'  [explained]' if row else ''}", flush=True)
    for operator, count in operators.most_common():
        print(f"unexplained at {operator}: {count}")
    for (operator, reason), count in explained.most_common():
        print(f"explained at {operator}: {count}: {reason}")
    print(", ".join(f"{count} by {name}" for name, count in judges.most_common()))
    print(f"{sum(judges.values())} graphs, {sum(explained.values())} differences explained, {unexplained} unexplained")
    sys.exit(1 if unexplained else 0)


main()
