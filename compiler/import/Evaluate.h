// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph ops on constants: pure functions whose shapes the caller (Emitter) has checked. Elementwise
// functions exist for the ops that sub-graphs computing shapes and masks are made of; for any other
// op the answer is nothing, and the op is emitted.
#pragma once

#include "compiler/import/Constant.h"
#include "dialects/graph/Graph.h"

namespace pcc::import {

/// The value of the one-operand op named `op` (`graph.neg`).
std::optional<Constant> evaluateUnary(llvm::StringRef op, const Constant &x);

/// The value of the two-operand op named `op`; both operands have the same type. An integer
/// division by zero has no value.
std::optional<Constant> evaluateBinary(llvm::StringRef op, const Constant &x, const Constant &y);

Constant evaluateCompare(graph::Direction direction, const Constant &x, const Constant &y);
Constant evaluateSelect(const Constant &predicate, const Constant &x, const Constant &y);
Constant evaluateCast(const Constant &x, mlir::Type elementType);
Constant evaluateReshape(const Constant &x, llvm::ArrayRef<int64_t> shape);
Constant evaluateTranspose(const Constant &x, llvm::ArrayRef<int64_t> permutation);

/// Repeats along new leading dimensions and dimensions of size one, numpy's way.
Constant evaluateBroadcast(const Constant &x, llvm::ArrayRef<int64_t> shape);

Constant evaluateSlice(const Constant &x, int64_t axis, int64_t start, int64_t stride,
                       int64_t count);
Constant evaluateConcat(llvm::ArrayRef<const Constant *> pieces, int64_t axis);

/// Rows of `x` along `axis`; every index lies in [0, size of `axis`).
Constant evaluateGather(const Constant &x, const Constant &indices, int64_t axis);

/// Drops the dimensions `dims` (ascending); nothing for `mean` and for a tensor without elements.
std::optional<Constant> evaluateReduce(graph::ReduceOpKind kind, const Constant &x,
                                       llvm::ArrayRef<int64_t> dims);

} // namespace pcc::import
