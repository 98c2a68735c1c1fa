// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes ops of the graph dialect, as functions of tensors. The interpreter uses the functions,
// and so does the importer, which folds constants before it creates ops. Shapes must be those of a
// valid op; sizes may be zero. Results are not rounded (Tensor::rounded).
#pragma once

#include "compiler/values/Tensor.h"
#include "dialects/graph/Graph.h"
#include <optional>

namespace pcc::values {

/// Computes the elementwise op named `op` (`graph.add`) of one or two operands of one type, without
/// attributes. Returns nothing for any other op, for unsupported element types, and for a division
/// by the integer zero.
std::optional<Tensor> computeElementwise(llvm::StringRef op, llvm::ArrayRef<Tensor> operands);

/// Returns the names of the ops that computeElementwise computes.
llvm::SmallVector<llvm::StringRef> elementwiseOps();

/// Returns booleans: true if `x direction y` holds.
Tensor computeCompare(graph::Direction direction, const Tensor &x, const Tensor &y);

/// Returns the elements of `onTrue` where `predicate` holds, and of `onFalse` elsewhere.
Tensor computeSelect(const Tensor &predicate, const Tensor &onTrue, const Tensor &onFalse);

/// Converts elements: to integers towards zero, to booleans by x ≠ 0.
Tensor computeCast(const Tensor &x, ElementType to);

/// Permutes dimensions: dimension d of the result is dimension permutation[d] of `x`.
Tensor computeTranspose(const Tensor &x, llvm::ArrayRef<int64_t> permutation);

/// Broadcasts `x`: dimension d of `x` becomes dimension dims[d] of the result. All other
/// dimensions, and dimensions of size 1, are repeated.
Tensor computeBroadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims);

/// Returns `count` slices of `x` along `axis`: number start, start + stride, ….
Tensor computeSlice(const Tensor &x, int64_t axis, int64_t start, int64_t stride, int64_t count);

/// Returns the slices of `x` along `axis` that `indices` name. Clamps indices to the valid range.
Tensor computeGather(const Tensor &x, const Tensor &indices, int64_t axis);

/// Reduces the dimensions `dims` and removes them. Sums are in doubles. The reduction of no element
/// is the neutral element.
Tensor computeReduce(graph::ReduceOpKind kind, const Tensor &x, llvm::ArrayRef<int64_t> dims);

//===-- Boxes
//----------------------------------------------------------------------------------===//

/// Returns the box of `shape` whose first element is at `offset` of `whole`.
Tensor extractBox(const Tensor &whole, llvm::ArrayRef<int64_t> offset,
                  llvm::ArrayRef<int64_t> shape);

/// Copies the box of `shape` at `sourceOffset` of `source` to `offset` of `whole`.
void insertBox(Tensor &whole, llvm::ArrayRef<int64_t> offset, const Tensor &source,
               llvm::ArrayRef<int64_t> sourceOffset, llvm::ArrayRef<int64_t> shape);

/// Concatenates tensors along `axis`; all other dimensions are equal.
Tensor concatenate(llvm::ArrayRef<Tensor> pieces, int64_t axis);

} // namespace pcc::values
