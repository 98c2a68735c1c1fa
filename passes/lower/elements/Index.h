// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Represents the index of an element while code is emitted. Adjacent dimensions that run together
// share one position.
//
//   tensor 4x8x10, loops r < 32 and c < 10:  [(r: 4x8) (c: 10)]
//   reshaped to 32x10:                       [(r: 32) (c: 10)]        nothing is emitted
//   cut before dimension 1:                  [(r / 8: 4) (r % 8: 8) (c: 10)]
//
// Reading a value at the current element of the loops thus costs one add per load, whatever the
// value's shape. An op that distinguishes one dimension pays for that dimension only.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pcc::lower {

/// Consecutive dimensions with one row-major position in [0, product of extents).
struct Segment {
  mlir::Value position;
  llvm::SmallVector<int64_t, 4> extents;

  int64_t count() const;
};

/// The index of one element of a tensor: all its dimensions in order.
using Index = llvm::SmallVector<Segment, 4>;

/// Returns true if code that the builder inserts next may read `value`: it lies in the same block
/// or in an enclosing one.
bool isVisible(mlir::OpBuilder &builder, mlir::Value value);

/// Emits the arithmetic on positions (i64, never negative). An expression has one value wherever
/// its first value is visible, so positions are equal if and only if their values are.
class IndexMath {
public:
  /// Constants go to the start of the block `entry`.
  IndexMath(mlir::ImplicitLocOpBuilder &builder, mlir::Block *entry)
      : builder(builder), entry(entry) {}

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t factor);
  mlir::Value div(mlir::Value a, int64_t divisor);
  mlir::Value rem(mlir::Value a, int64_t divisor);
  /// `value` moved into [0, size - 1].
  mlir::Value clamp(mlir::Value value, int64_t size);

  /// The row-major position of the element: one value, however the index is cut into segments.
  mlir::Value linear(llvm::ArrayRef<Segment> index);
  /// The same element of the same values under another shape.
  Index regroup(const Index &index, llvm::ArrayRef<int64_t> shape);
  /// The same index with a segment that starts at dimension `dim`.
  Index cut(const Index &index, unsigned dim);
  /// The segments of dimensions first ≤ d < last.
  Index range(const Index &index, unsigned first, unsigned last);
  /// The position along one dimension.
  mlir::Value at(const Index &index, unsigned dim);
  /// The index with the position and extent of one dimension replaced.
  Index replace(const Index &index, unsigned dim, mlir::Value position, int64_t extent);
  /// The index of the input of a broadcast whose input dimension d is result dimension dims[d].
  Index unbroadcast(const Index &index, llvm::ArrayRef<int64_t> dims,
                    llvm::ArrayRef<int64_t> inputShape);

private:
  template <typename Op, typename... Flags>
  mlir::Value emit(mlir::Value a, mlir::Value b, Flags... flags);

  mlir::ImplicitLocOpBuilder &builder;
  mlir::Block *entry;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  /// The latest value of each expression: op and operands.
  llvm::DenseMap<std::tuple<mlir::TypeID, mlir::Value, mlir::Value>, mlir::Value> emitted;
};

} // namespace pcc::lower
