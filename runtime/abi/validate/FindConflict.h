// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds an instruction that touches the same bytes as another one, if one of the two writes. Takes
// O(n log n) for n operands.

#pragma once

#include "runtime/abi/program.pb.h"

#include <optional>
#include <span>

namespace pcc::abi {

/// Returns the position of an instruction that conflicts with another one (mayConflict,
/// OperandRanges.h). The instructions must be valid: the ranges of one instruction are disjoint or
/// equal.
std::optional<size_t> findConflict(const Executable &executable, const Program &program,
                                   std::span<const Instruction *const> instructions);

} // namespace pcc::abi
