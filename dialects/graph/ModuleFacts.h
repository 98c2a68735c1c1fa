// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a model that its module carries as attributes, through all phases:
//
//   graph.altered_parameters = ["'b.bias' is merged into 'a.bias'"]
//   graph.input_ranges = {ids = array<i64: -96, 95>, labels = array<i64: 0, 9, -100>}
//   graph.loss = ["mse", "prediction", "labels"]
//
// The first lists parameters that an exporter changed, so that the model must not be trained. The
// second gives the values that an input of integers may have: the least, the greatest and, if there
// is one, the label of samples that do not count. The third names the loss that judges an output by
// an input.
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace pcc::graph {

inline constexpr llvm::StringLiteral alteredParametersAttrName = "graph.altered_parameters";
inline constexpr llvm::StringLiteral inputRangesAttrName = "graph.input_ranges";
inline constexpr llvm::StringLiteral lossAttrName = "graph.loss";

/// The integers from `least` to `greatest`, and `ignored`.
struct IntegerRange {
  int64_t least, greatest;
  std::optional<int64_t> ignored;

  bool contains(int64_t value) const {
    return (least <= value && value <= greatest) || value == ignored;
  }
};

/// Records on the module that `value` must be in `range`. Does nothing unless `value` is an input
/// of the model that was at most rearranged and cast to another type of integers. Follows
/// `x < 0 ? x + n : x`, which counts negative indices from the end of n rows, to x.
/// Intersects `range` with a range that is recorded already.
void restrictInput(mlir::Value value, IntegerRange range);

/// Returns the recorded range of an input; nothing if any value is valid. `module` may be the
/// program of one pipeline stage.
std::optional<IntegerRange> findInputRange(mlir::ModuleOp module, llvm::StringRef input);

/// The loss of `--loss`, and the output and the input that it compares.
struct LossFact {
  llvm::StringRef kind, prediction, labels;
};

/// Records the loss on the module.
void recordLoss(mlir::ModuleOp module, const LossFact &loss);

/// Returns the recorded loss; nothing if the model has none that compares outputs with labels.
std::optional<LossFact> findLoss(mlir::ModuleOp module);

} // namespace pcc::graph
