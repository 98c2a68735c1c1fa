// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The letters of an einsum of two operands: "bij,bjk->bik" is {"bij", "bjk", "bik"}.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace pcc::graph {

struct EinsumEquation {
  llvm::StringRef lhs, rhs, result;

  /// Parses an equation. Returns nothing for a text of another form, for a letter twice in one
  /// tensor, and for a letter in the result alone.
  static std::optional<EinsumEquation> parse(llvm::StringRef text);
};

} // namespace pcc::graph
