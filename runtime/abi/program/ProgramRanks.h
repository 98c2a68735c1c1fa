// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps ranks to programs. With P programs the ranks 0 … n-1 form P blocks of n/P ranks; the ranks
// of block s run program s.

#pragma once

#include "runtime/abi/program/RankExpression.h"

namespace pcc::abi {

/// The ranks first … end-1.
struct RankRange {
  int64_t first = 0;
  int64_t end = 0;
  bool holds(int64_t rank) const { return rank >= first && rank < end; }
};

/// Returns the ranks of a valid executable that run program number `program`.
inline RankRange ranksOfProgram(const Executable &executable, int64_t program) {
  int64_t each = rankCount(executable.mesh()) / executable.programs_size();
  return {program * each, (program + 1) * each};
}

/// Returns the number of the program that `rank` runs.
inline int programOfRank(const Executable &executable, int64_t rank) {
  return int(rank * executable.programs_size() / rankCount(executable.mesh()));
}

} // namespace pcc::abi
