// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run of an instruction that a wait means (Instruction.waits and Instruction.behind). Example:
// `a` writes to a ring of depth two that `b` reads, and waits for b with behind = 3:
//
//   run of a, number    0   1   2     3     4
//   waits for b of      -   -   0     1     2

#pragma once

#include "runtime/abi/program.pb.h"

#include <optional>

namespace pcc::abi {

/// Returns Instruction.behind of a wait of a valid instruction: 0 for the last run.
inline uint32_t behindOf(const Instruction &instruction, int wait) {
  return instruction.behind_size() == 0 ? 0 : instruction.behind(wait);
}

/// Returns the number of the run that a wait with `behind` ≥ 1 means in the action of number `own`;
/// nothing if that run does not exist.
inline std::optional<uint64_t> awaitedNumber(uint32_t behind, uint64_t own) {
  uint64_t distance = uint64_t(behind) - 1;
  return own < distance ? std::nullopt : std::optional(own - distance);
}

} // namespace pcc::abi
