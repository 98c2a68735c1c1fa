// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes one node: imports a model of this node alone and runs it in the interpreter.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "test/fuzz/onnx/Graph.h"

namespace pcc::fuzz {

struct Evaluation {
  std::vector<Value> results; ///< one for each named output of the node
  std::string error;          ///< error of the importer or interpreter; empty after success
};

/// Computes the results of `node`, whose inputs are values of `graph`.
Evaluation evaluate(const Graph &graph, const onnx::NodeProto &node, mlir::MLIRContext &context);

} // namespace pcc::fuzz
