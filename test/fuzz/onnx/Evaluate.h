// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes one node: imports a model of that node alone and runs it in the interpreter.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "test/fuzz/onnx/Graph.h"

namespace pcc::fuzz {

struct Evaluation {
  std::vector<Value> results; ///< one for each output of the node that has a name
  std::string error;          ///< the importer's or the interpreter's; empty after success
};

/// The results of `node`, whose inputs are values of `graph`.
Evaluation evaluate(const Graph &graph, const onnx::NodeProto &node, mlir::MLIRContext &context);

} // namespace pcc::fuzz
