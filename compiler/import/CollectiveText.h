// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text by which a constraints file gives a collective.
//
//   all_reduce sum over [tp]                   kind, word, axes of the mesh
//   reduce_scatter sum axis=0 over [[0, 1]]    a number by name; lists of ranks
//   broadcast root=0                           all ranks
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>

namespace pcc::import {

/// A collective as text. It refers to the text that it was read from.
struct CollectiveText {
  llvm::StringRef kind;
  /// `sum`, `max`, …; the kind's default, `sum`, if the text has none. Empty for kinds without
  /// words.
  llvm::StringRef word;
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>, 2> numbers;
  std::string group; ///< `axes [dp]` or `ranks [[0, 1]]`; empty: all ranks
  std::string error; ///< message; empty if the text is a collective
};

/// Reads the text of a collective. `error` says what is wrong with it.
CollectiveText parseCollective(llvm::StringRef given);

} // namespace pcc::import
