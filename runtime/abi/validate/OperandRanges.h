// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that an instruction reads and writes. The executor, the static checker and the
// simulator use this one definition.
//
//   copy of 64 bytes          source: 64 bytes, read; destination: 64 bytes, written
//   matmul that adds          a, b: read; c: read and written
//   all_gather among 4        source: read; destination: four times as much, written

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pcc::abi {

enum class Reads {
  No,
  Yes,
  AfterFirst, ///< in all actions of the section but the first of a step
  Perhaps,    ///< not stated
};

/// A range of `bytes` > 0 bytes from the operand's offset on.
struct OperandRange {
  const Operand *operand;
  uint64_t bytes;
  Reads reads;
  bool writes;
};

/// Lists the operands of an instruction of a valid program. A collective's operands count for all
/// ranks of the program if one of them touches the range.
std::vector<OperandRange> operandRanges(const Executable &executable, const Program &program,
                                        const Instruction &instruction);

/// Whether the instructions touch common bytes and one of them writes, if both run in the same
/// action.
bool mayConflict(const Executable &executable, const Program &program, const Instruction &a,
                 const Instruction &b);

//===-- FindConflict.cpp ----------------------------------------------------------------------===//

// Finds an instruction that touches the same bytes as another one, if one of the two writes. Takes
// O(n log n) for n operands.

/// Returns the position of an instruction that conflicts with another one (mayConflict). The
/// instructions must be valid: the ranges of one instruction are disjoint or equal.
std::optional<size_t> findConflict(const Executable &executable, const Program &program,
                                   std::span<const Instruction *const> instructions);

} // namespace pcc::abi
