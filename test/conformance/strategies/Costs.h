// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the cost model `memory` with MindSpore's figures: searches by dynamic
// programming, and costs of given assignments.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Judges a complete given assignment: computation, communication, total, and the cost tables of
/// edges between nodes.
Judgement judgeCosts(const Case &question, mlir::MLIRContext &context);

/// Judges the same of the assignment that MindSpore chose. In addition, the strategies
/// that MindSpore tried are options of pcc, and the result of pcc's dynamic programming
/// costs no more.
Judgement judgeDynamicProgramming(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
