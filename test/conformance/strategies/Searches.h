// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches by recursive programming and by propagation beside those of the reference system.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// The assignment that was found there costs no less, pinned, than what recursive programming finds
/// here under the same cost model, nor than the best: under `memory`, and under `roofline` where
/// meshes have few axes.
Judgement judgeRecursion(const Case &question, mlir::MLIRContext &context);

/// The strategies that were tried there are ours, and what follows from the given ones moves no
/// more elements.
Judgement judgePropagation(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
