// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the invariants of a phase, as a pass: `--verify-stage=stage=spmd`.
#pragma once

#include "compiler/Pipeline.h"

namespace pcc {

/// Returns a pass that fails, with an error at the op, if the module violates an invariant of
/// `stage` (the table in VerifyStage.cpp).
std::unique_ptr<mlir::Pass> createVerifyStagePass(Stage stage);

/// Registers the pass by flag.
void registerVerifyStagePass();

} // namespace pcc
