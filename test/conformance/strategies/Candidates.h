// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares, node by node, the strategies among which a search may choose with the strategies that
// the reference system's searches listed.
//
// The reference system may list a strategy more than once, and the tuple of a repeated operand
// follows from the other tuples. Therefore sets are compared, of the tuples of the operands that
// one op reads. A reshape has no strategies in the reference system.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Judges that both list the same strategies, except for strategies that split a dimension that is
/// whole in the reference system.
Judgement judgeCandidates(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
