// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the invariants of a phase, as a pass: `--verify-phase=phase=spmd`. If the structure was
// recorded before the phase (Structure.h), it must be unchanged.
#pragma once

#include "compiler/Compile.h"

namespace pcc {

/// Returns a pass that fails, with an error at the op, if the module violates an invariant of
/// `phase` (the table in VerifyPhase.cpp).
std::unique_ptr<mlir::Pass> createVerifyPhasePass(CompilePhase phase);

/// Registers the pass by flag.
void registerVerifyPhasePass();

} // namespace pcc
