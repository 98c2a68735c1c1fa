// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--interleave-num`: what a step takes with one copy of a microbatch, and with several.
#pragma once

#include "compiler/Pipeline.h"
#include "compiler/plan/CopyChoice.h"

namespace pcc::cli {

/// Prices programs of one model that differ in their copies: their records, on the virtual clock.
class CopySearch {
public:
  /// `model`, as imported, outlives this. Without a machine in the options it is this one.
  CopySearch(mlir::ModuleOp model, const PipelineOptions &options);

  plan::CopyCandidate price(int64_t copies);
  const PipelineOptions &getOptions() const { return options; }

private:
  mlir::ModuleOp model;
  PipelineOptions options;
};

/// Says at `location` how many copies are taken, and what a step takes with each count.
void remarkChoice(mlir::Location location, llvm::ArrayRef<plan::CopyCandidate> candidates,
                  int64_t copies);
/// Says at `location` if the user's number of copies is slower than one copy.
void remarkOneIsFaster(mlir::Location location, const plan::CopyCandidate &one,
                       const plan::CopyCandidate &given);

} // namespace pcc::cli
