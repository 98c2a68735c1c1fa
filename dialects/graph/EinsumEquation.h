// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The letters of an einsum of two operands: "bij,bjk->bik" is {"bij", "bjk", "bik"}.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace pcc::graph {

struct EinsumEquation {
  llvm::StringRef lhs, rhs, result;

  /// Nothing for a text that is not of this form, has a letter twice in one tensor, or one in the
  /// result alone.
  static std::optional<EinsumEquation> parse(llvm::StringRef text);
};

} // namespace pcc::graph
