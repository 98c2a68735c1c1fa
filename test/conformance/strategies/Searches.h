// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares searches by recursive programming and by propagation with those of MindSpore.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Judges the assignment of MindSpore, given as constraints. It must cost no less than
/// the result of pcc's recursive programming under the same cost model, and no less than the best
/// one. The cost models are `memory` and, if meshes have few axes, `roofline`.
Judgement judgeRecursion(const Case &question, mlir::MLIRContext &context);

/// Judges that the strategies tried by MindSpore are options of pcc, and that pcc's
/// propagation of the given ones moves no more elements.
Judgement judgePropagation(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
