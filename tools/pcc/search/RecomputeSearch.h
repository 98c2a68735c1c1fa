// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--memory-limit`: chooses what a program recomputes in order to fit.
#pragma once

#include "compiler/Compile.h"
#include "compiler/plan/RecomputeChoice.h"

namespace pcc::cli {

/// Estimates the cost of one model's programs that recompute different parts.
class RecomputeSearch {
public:
  /// `model`, as imported, must outlive this object.
  RecomputeSearch(mlir::ModuleOp model, const CompileOptions &options);

  /// Chooses the parts to recompute; afterwards `getBaseline` is the program that recomputes
  /// nothing.
  plan::RecomputeCandidate run();
  const plan::RecomputeCandidate &getBaseline() const { return baseline; }
  int64_t getLimit() const;

private:
  plan::RecomputeCandidate evaluate(llvm::ArrayRef<int64_t> parts);

  mlir::ModuleOp model;
  CompileOptions options;
  plan::RecomputeCandidate baseline;
  llvm::SmallVector<double> partSeconds;
};

/// Emits a remark at `location`: the number of recomputed parts, and bytes and times with and
/// without them.
void remarkRecomputed(mlir::Location location, const plan::RecomputeCandidate &baseline,
                      const plan::RecomputeCandidate &chosen);

} // namespace pcc::cli
