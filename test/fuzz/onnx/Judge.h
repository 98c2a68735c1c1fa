// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a graph in all ways and compares the results: node by node, the whole model in the
// interpreter, compiled on this machine's CPU, and trained in both.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "test/fuzz/onnx/Graph.h"

namespace pcc::fuzz {

struct Verdict {
  std::string way; ///< the failed comparison: `import`, `nodes`, `cpu`, ...; empty if none failed
  std::string reason;   ///< the first difference, or the first error
  std::string training; ///< `trained`, or the reason why the graph cannot be trained

  bool passed() const { return way.empty(); }
  std::string str() const;
  static Verdict parse(llvm::StringRef text);
};

/// Writes `model.onnx`, and `test_data_set_0` with inputs and outputs, to `folder`. Returns false
/// if that fails.
bool writeGraph(const Graph &graph, const std::string &folder);

/// Judges the graph that `writeGraph` wrote to `folder`, from these files and the values of the
/// graph's nodes. Writes `tolerances.json` beside them: the allowed error of another
/// implementation's outputs.
Verdict judge(const Graph &graph, const std::string &folder, mlir::MLIRContext &context);

} // namespace pcc::fuzz
