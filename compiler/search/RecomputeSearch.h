// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for the parts of a model that are recomputed under a memory limit.
#pragma once

#include "compiler/Compile.h"
#include "compiler/plan/choice/RecomputeChoice.h"

namespace pcc::search {

/// Programs of one model that recompute different parts, so that one of them fits into memory.
class RecomputeSearch {
public:
  RecomputeSearch(mlir::ModuleOp model, const CompileOptions &options);

  /// Returns the program with few recomputed parts that fits, or the one with the lowest peak.
  plan::RecomputeCandidate run();

  /// Returns the program that recomputes nothing; valid after `run`.
  const plan::RecomputeCandidate &getBaseline() const { return baseline; }
  /// Returns the bytes of a device into which programs must fit.
  int64_t getBudget() const { return budget; }

private:
  plan::RecomputeCandidate evaluate(llvm::ArrayRef<int64_t> parts);

  mlir::ModuleOp model;
  CompileOptions options;
  int64_t budget;
  plan::RecomputeCandidate baseline;
  llvm::SmallVector<double> partSeconds;
};

} // namespace pcc::search
