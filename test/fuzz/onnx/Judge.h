// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a graph in all ways and compares: node by node, the whole model in the interpreter, compiled
// on this machine's CPU, and trained both ways.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "test/fuzz/onnx/Graph.h"

namespace pcc::fuzz {

struct Verdict {
  std::string way; ///< the comparison that failed: `import`, `nodes`, `cpu`, ...; empty if none did
  std::string reason;   ///< the first difference, or the first error
  std::string training; ///< `trained`, or the reason why the graph cannot be trained

  bool passed() const { return way.empty(); }
  std::string str() const;
  static Verdict parse(llvm::StringRef text);
};

/// Writes `model.onnx` and `test_data_set_0` with inputs and outputs to `folder`. False if that
/// fails.
bool writeGraph(const Graph &graph, const std::string &folder);

/// Judges the graph that `writeGraph` wrote to `folder`, from these files alone but for the values
/// of its nodes. Writes `tolerances.json` beside them: how far another implementation's outputs may
/// be off.
Verdict judge(const Graph &graph, const std::string &folder, mlir::MLIRContext &context);

} // namespace pcc::fuzz
