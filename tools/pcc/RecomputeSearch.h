// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--memory-limit`: what a program computes again so that it fits.
#pragma once

#include "compiler/Pipeline.h"
#include "compiler/plan/RecomputeChoice.h"

namespace pcc::cli {

/// Prices programs of one model that differ in what they compute again.
class RecomputeSearch {
public:
  /// `model`, as imported, outlives this.
  RecomputeSearch(mlir::ModuleOp model, const PipelineOptions &options);

  /// Chooses; then `getKept` is the program that keeps everything.
  plan::RecomputeCandidate run();
  const plan::RecomputeCandidate &getKept() const { return kept; }
  int64_t getLimit() const;

private:
  plan::RecomputeCandidate price(llvm::ArrayRef<int64_t> parts);

  mlir::ModuleOp model;
  PipelineOptions options;
  plan::RecomputeCandidate kept;
  llvm::SmallVector<double> partSeconds;
};

/// Says at `location` what is computed again, and bytes and times with and without.
void remarkRecomputed(mlir::Location location, const plan::RecomputeCandidate &kept,
                      const plan::RecomputeCandidate &chosen);

} // namespace pcc::cli
