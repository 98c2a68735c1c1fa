// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates graph ops on constants with the functions of compiler/values, without creating ops.
// Splats stay small. The caller (Emitter) has checked the shapes. If a function returns nothing,
// the caller emits the op.
#pragma once

#include "compiler/import/files/Constant.h"
#include "dialects/graph/Graph.h"

namespace pcc::import {

/// Returns the value of the elementwise op named `op` (`graph.neg`) on operands of one type.
/// Returns nothing for an op with attributes, for unsupported element types, and for a division by
/// the integer zero.
std::optional<Constant> evaluateElementwise(llvm::StringRef op,
                                            llvm::ArrayRef<const Constant *> operands);

Constant evaluateCompare(graph::Direction direction, const Constant &x, const Constant &y);
Constant evaluateSelect(const Constant &predicate, const Constant &x, const Constant &y);
Constant evaluateCast(const Constant &x, mlir::Type elementType);
Constant evaluateReshape(const Constant &x, llvm::ArrayRef<int64_t> shape);
Constant evaluateTranspose(const Constant &x, llvm::ArrayRef<int64_t> permutation);

/// Repeats along new leading dimensions and dimensions of size one, as in numpy.
Constant evaluateBroadcast(const Constant &x, llvm::ArrayRef<int64_t> shape);

Constant evaluateSlice(const Constant &x, int64_t axis, int64_t start, int64_t stride,
                       int64_t count);
Constant evaluateConcat(llvm::ArrayRef<const Constant *> pieces, int64_t axis);

/// Returns rows of `x` along `axis`; every index must be in [0, size of `axis`).
Constant evaluateGather(const Constant &x, const Constant &indices, int64_t axis);

/// Reduces and drops the dimensions `dims` (ascending). Returns nothing for the mean of integers.
std::optional<Constant> evaluateReduce(graph::ReduceOpKind kind, const Constant &x,
                                       llvm::ArrayRef<int64_t> dims);

} // namespace pcc::import
