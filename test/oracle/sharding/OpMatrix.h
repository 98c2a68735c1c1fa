// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One small function for each op that can be split, in the forms that differ in how they are split.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace pcc::test {

/// An op on arguments %a, %b, %c.
struct OpCase {
  std::string name;
  std::vector<llvm::SmallVector<int64_t>> operands;
  llvm::SmallVector<int64_t> result;
  std::string text;                       ///< defines %r
  std::vector<std::string> elements = {}; ///< of the operands; f32 where not given
};

/// All of them. Sizes are 12 or 24, which 4, 6 and 8 ranks divide, and small odd ones.
std::vector<OpCase> listOpCases();

} // namespace pcc::test
