// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a layout of layers over stages: parts separated by `|`. A part lists the ops before the
// first layer (E), layers (t, or t*N), and the ops after the last layer (L).
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
  int partOfHead = -1, partOfTail = -1; ///< E and L; −1: not given
  std::string error;                    ///< error message; empty if the text is a layout

  static StageLayout parse(llvm::StringRef text);
};

} // namespace pcc::pipeline
