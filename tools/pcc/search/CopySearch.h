// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--interleave-num`: compares the step times of one copy per microbatch and of several.
#pragma once

#include "compiler/Compile.h"
#include "compiler/plan/CopyChoice.h"

namespace pcc::cli {

/// Estimates the step time of one model's programs with different numbers of copies, by simulating
/// their instructions on the virtual clock.
class CopySearch {
public:
  /// `model`, as imported, must outlive this object. Options without a machine get this machine.
  CopySearch(mlir::ModuleOp model, const CompileOptions &options);

  plan::CopyCandidate evaluate(int64_t copies);
  const CompileOptions &getOptions() const { return options; }

private:
  mlir::ModuleOp model;
  CompileOptions options;
};

/// Emits a remark at `location`: the chosen number of copies, and step time and bytes of each
/// candidate.
void remarkChoice(mlir::Location location, llvm::ArrayRef<plan::CopyCandidate> candidates,
                  int64_t copies);
/// Emits a remark at `location` if the user's number of copies is slower than one copy.
void remarkOneIsFaster(mlir::Location location, const plan::CopyCandidate &one,
                       const plan::CopyCandidate &given);

} // namespace pcc::cli
