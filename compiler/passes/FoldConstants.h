// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FoldConstants: evaluates ops whose operands are all known, and stores repeated elements of
// constants only once.
//
//   cumsum(constant)                        becomes a constant
//   constant of [8,1,16,16], equal for      becomes a constant of [1,1,16,16] and a broadcast
//   all 8 samples
//
// Exporters compute masks and positions from the sizes of the batch. After this pass they are
// constants, and so independent of the batch. Ops are evaluated by the interpreter, so that they
// have exactly the values that the program would compute.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace pcc {

/// Returns the pass, on modules (`--fold-constants`).
std::unique_ptr<mlir::Pass> createFoldConstantsPass();

/// Registers the pass by flag.
void registerFoldConstantsPass();

} // namespace pcc
