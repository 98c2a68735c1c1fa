// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategies among which a search may choose, node by node, beside those that the reference
// system's searches listed.
//
// There a strategy may stand in the list more than once, and what a repeated operand's own tuple
// says follows from the others: sets are compared, of the tuples of those operands that are read by
// one op. A reshape has none of its own there.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// The same, but for strategies that split what is whole there.
Judgement judgeCandidates(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
