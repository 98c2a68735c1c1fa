// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds after each stage of the road, as a pass: `--verify-stage=stage=spmd`.
#pragma once

#include "compiler/Pipeline.h"

namespace pcc {

/// Fails, with an error at the op, if the module breaks a law of `stage` (the table in
/// VerifyStage.cpp).
std::unique_ptr<mlir::Pass> createVerifyStagePass(Stage stage);

/// Makes the pass known by flag.
void registerVerifyStagePass();

} // namespace pcc
