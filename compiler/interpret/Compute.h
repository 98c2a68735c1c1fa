// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops of the graph dialect compute, as functions of tensors: for the rows of the registry, and
// for the importer, which folds what it knows before there is an op. Shapes are those of a valid
// op; sizes may be zero. Results are not rounded (Tensor::rounded).
#pragma once

#include "compiler/interpret/Tensor.h"
#include "dialects/graph/Graph.h"
#include <optional>

namespace pcc::interpret {

/// The elementwise op named `op` (`graph.add`) of one or two operands of one type and without
/// attributes. Nothing for any other op, for elements that it does not take, and for a division by
/// the integer zero.
std::optional<Tensor> computeElementwise(llvm::StringRef op, llvm::ArrayRef<Tensor> operands);

/// Booleans: where `x direction y` holds.
Tensor computeCompare(graph::Direction direction, const Tensor &x, const Tensor &y);

/// The elements of `onTrue` where `predicate` holds, elsewhere those of `onFalse`.
Tensor computeSelect(const Tensor &predicate, const Tensor &onTrue, const Tensor &onFalse);

/// To integers towards zero, to booleans x ≠ 0.
Tensor computeCast(const Tensor &x, ElementType to);

/// Dimension d of the result is dimension permutation[d] of `x`.
Tensor computeTranspose(const Tensor &x, llvm::ArrayRef<int64_t> permutation);

/// Dimension d of `x` becomes dimension dims[d] of the result; all others, and those of size 1, are
/// repeated.
Tensor computeBroadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims);

/// `count` slices of `x` along `axis`: number start, start + stride, ….
Tensor computeSlice(const Tensor &x, int64_t axis, int64_t start, int64_t stride, int64_t count);

/// The slices of `x` along `axis` that `indices` name; an index outside is moved to the nearest.
Tensor computeGather(const Tensor &x, const Tensor &indices, int64_t axis);

/// Without the dimensions `dims`. Sums are in doubles; the reduction of no element is what changes
/// nothing.
Tensor computeReduce(graph::ReduceOpKind kind, const Tensor &x, llvm::ArrayRef<int64_t> dims);

} // namespace pcc::interpret
