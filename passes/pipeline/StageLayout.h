// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers laid out over stages, as text: parts with `|` between them, each with what comes before
// the first layer (E), layers (t, or t*N), and what comes behind the last (L).
//
//   E t*2 | t*2 | t L     layers 0 1 | 2 3 | 4
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace pcc::pipeline {

struct StageLayout {
  int parts = 0;
  std::vector<int> partOfLayer;
  int partOfHead = -1, partOfTail = -1; ///< E and L; −1: not said
  std::string error;                    ///< why the text is no layout; empty if it is one

  static StageLayout parse(llvm::StringRef text);
};

} // namespace pcc::pipeline
