// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph dialect: what is computed.
#pragma once

#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace pcc::graph {
/// Marks ops that compute each element of the result from the same element of the operands.
template <typename ConcreteOp>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteOp, Elementwise> {};

/// Maximum number of elements of a tensor: products of sizes, and bytes, stay far from overflow.
inline constexpr int64_t maxElements = int64_t(1) << 48;

/// Returns whether `type` is a ranked, static tensor of at most maxElements elements, with every
/// size at least 1.
bool hasGraphShape(mlir::Type type);

/// Returns the tensor type with the shape of `type` and elements i1, as comparisons yield and
/// selects take. A type that is not a ranked tensor is returned unchanged.
mlir::Type boolTensorLike(mlir::Type type);

/// Returns the same with elements i64, as element indices have.
mlir::Type i64TensorLike(mlir::Type type);

/// Returns the float type in which sums of many elements of `element` are held, and in which the
/// arithmetic of optimizers is done: f64 for f64, else f32.
mlir::Type accumulatorOf(mlir::Type element);

/// Returns the factor rule of an elementwise op: one factor per dimension, and the op's linearity.
FactorRule elementwiseRule(mlir::Operation *op);
} // namespace pcc::graph

#include "dialects/graph/GraphDialect.h.inc"
#include "dialects/graph/GraphEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/GraphAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/graph/GraphOps.h.inc"
