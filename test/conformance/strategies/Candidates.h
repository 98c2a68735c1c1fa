// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares, node by node, the strategies among which a search may choose with the strategies that
// MindSpore's searches listed.
//
// MindSpore may list a strategy more than once, and the tuple of a repeated operand
// follows from the other tuples. Therefore sets are compared, of the tuples of the operands that
// one op reads. A reshape has no strategies in MindSpore.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Judges that both list the same strategies, except for strategies that split a dimension that is
/// whole in MindSpore.
Judgement judgeCandidates(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
