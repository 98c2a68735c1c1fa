// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints and parses ReduceKind for ODS. The factor rule shares this enumeration with the
// collectives.
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include "mlir/IR/DialectImplementation.h"
#include <optional>

namespace pcc::dist {

using pcc::ReduceKind;

inline llvm::StringRef stringifyReduceKind(ReduceKind kind) { return stringify(kind); }

/// Returns the kind called `name` (sum, max, min, prod).
inline std::optional<ReduceKind> symbolizeReduceKind(llvm::StringRef name) {
  for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min, ReduceKind::Prod})
    if (stringify(kind) == name)
      return kind;
  return std::nullopt;
}

} // namespace pcc::dist

template <> struct mlir::FieldParser<pcc::ReduceKind> {
  static mlir::FailureOr<pcc::ReduceKind> parse(mlir::AsmParser &parser) {
    llvm::StringRef name;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return mlir::failure();
    if (std::optional<pcc::ReduceKind> kind = pcc::dist::symbolizeReduceKind(name))
      return *kind;
    return parser.emitError(loc) << "expected sum, max, min or prod, got \"" << name << "\"";
  }
};
