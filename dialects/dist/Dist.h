// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dist dialect: where values live.
#pragma once

#include "dialects/dist/Mesh.h"
#include "dialects/dist/Sharding.h"
#include "dialects/interfaces/FactorRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

// Prints and parses ReduceKind for ODS. The factor rule shares this enumeration with the
// collectives.

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
  static mlir::FailureOr<pcc::ReduceKind> parse(mlir::AsmParser &parser);
};

#include "dialects/dist/DistDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/dist/DistAttrs.h.inc"

#include "dialects/dist/DistInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/dist/DistOps.h.inc"

namespace pcc::dist {

/// Names of the discardable attributes; the table in the dialect's description explains them.
inline constexpr llvm::StringLiteral meshAttrName = "dist.mesh";
inline constexpr llvm::StringLiteral inAttrName = "dist.in";
inline constexpr llvm::StringLiteral outAttrName = "dist.out";
inline constexpr llvm::StringLiteral shardingAttrName = "dist.sharding";
/// Set on an argument that is partial: each rank goes on with its own part as if it were the whole.
inline constexpr llvm::StringLiteral ownAttrName = "dist.own";
inline constexpr llvm::StringLiteral fusionAttrName = "dist.fusion";
inline constexpr llvm::StringLiteral gradientFactorAttrName = "dist.gradient_factor";
inline constexpr llvm::StringLiteral constraintsAttrName = "dist.constraints";
inline constexpr llvm::StringLiteral localAttrName = "dist.local";

/// Returns the mesh of the program that contains `op`: `dist.mesh` of the nearest op that has one,
/// else one rank.
Mesh getMesh(mlir::Operation *op);

/// Parses a sharding, as in `[dp, _] partial(sum: tp)`; diagnoses and fails if the text is none.
mlir::FailureOr<Sharding> parseSharding(llvm::StringRef text, mlir::MLIRContext *context);

} // namespace pcc::dist
