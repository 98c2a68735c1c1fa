// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the invariants of a phase, as a pass: `--verify-phase=phase=spmd`. If `--record-structure`
// ran before the phase (Structure.h), the hash of all ops without annotations must be equal.
#pragma once

#include "compiler/Compile.h"

namespace pcc {

/// Returns a pass that fails, with an error at the op, if the module violates an invariant of
/// `phase` (the table in VerifyPhase.cpp).
std::unique_ptr<mlir::Pass> createVerifyPhasePass(CompilePhase phase);

/// Registers the pass with pcc-opt as `--verify-phase`.
void registerVerifyPhasePass();

} // namespace pcc
