// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches by dynamic programming, and prices of given assignments: the cost model `memory` beside
// the reference system's own figures.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Of an assignment that is given whole: computation, communication, total, and the tables of what
/// passes between nodes.
Judgement judgePrices(const Case &question, mlir::MLIRContext &context);

/// The same of the assignment that was chosen there; moreover the strategies that were tried there
/// are ours, and what dynamic programming finds here costs no more.
Judgement judgeDynamicProgramming(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
