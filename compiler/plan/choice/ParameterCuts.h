// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far ranks divide the parameters that they hold whole, if the optimizer is sharded over them.
// If all ranks divide no dimension, the ranks along a part of their axis may (strategy-split-axes).
//
//   ranks    parts of 8192x8192    of 30x12
//   16       16                    4
//   48       16                    12
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <vector>

namespace pcc::plan {

class ParameterCuts {
public:
  /// Without parameters, all ranks divide everything.
  ParameterCuts() = default;
  /// Collects the parameters of a model whose optimizer may be sharded.
  explicit ParameterCuts(mlir::ModuleOp model);

  /// Returns the share of the parameters' elements that a rank keeps, at least: an axis may be
  /// split for each parameter alone.
  double getShare(int64_t ranks) const;
  /// Returns the number of parts into which most of the elements that are cut are; 1 if none are.
  int64_t countWays(int64_t ranks) const;

private:
  struct Parameter {
    llvm::SmallVector<int64_t, 4> shape;
    double elements = 0;
  };

  std::vector<Parameter> parameters;
};

} // namespace pcc::plan
