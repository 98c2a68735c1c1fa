// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the code of single elements on demand: an element of a value is computed from those
// elements of its operands that it needs.
//
//   at(relu(add(x, broadcast(b))), (r, c))  emits  max(x[r * n + c] + b[c], 0)
//
// A kernel is a function of core ops on tensors; its arguments are memory. If an element is
// requested again where its first value is visible, this value is returned and nothing is emitted.
//
// An element loaded before a store is therefore not loaded again after it. This is right for
// kernels that work in place, too: tensors do not change, so an operand's element is what memory
// held before the result was stored over it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace pcc::lower {

// Represents the index of an element while code is emitted. Adjacent dimensions that run together
// share one position.
//
//   tensor 4x8x10, loops r < 32 and c < 10:  [(r: 4x8) (c: 10)]
//   reshaped to 32x10:                       [(r: 32) (c: 10)]        nothing is emitted
//   cut before dimension 1:                  [(r / 8: 4) (r % 8: 8) (c: 10)]
//
// Reading a value at the current element of the loops thus costs one add per load, whatever the
// value's shape. An op that distinguishes one dimension pays for that dimension only.

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

/// The type in which elements of `type` are computed: f32 for narrower floats, the integer without
/// signedness for an unsigned one, else the type itself. The ops of arith say how they read the
/// sign, so the code for an op asks the element types of its operands and result for it.
mlir::Type computeType(mlir::Type type);

/// Returns the LLVM type of an element in memory: i8 for i1, i16 (the bits) for bf16, i32 for ui32.
mlir::Type memoryType(mlir::Type type);

/// The shape, and the number of elements, of a tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return llvm::cast<mlir::ShapedType>(tensor.getType()).getShape();
}
inline int64_t countOf(mlir::Value tensor) {
  return llvm::cast<mlir::ShapedType>(tensor.getType()).getNumElements();
}

class Elements {
public:
  Elements(mlir::ImplicitLocOpBuilder &builder, IndexMath &math) : b(builder), math(math) {}

  /// Declares that `tensor` lies in memory at `pointer`.
  void bindMemory(mlir::Value tensor, mlir::Value pointer) { pointers[tensor] = pointer; }
  /// Declares that `tensor` is a scalar, which the kernel receives as the number `value`.
  void bindScalar(mlir::Value tensor, mlir::Value value) { scalars[tensor] = value; }

  /// Returns the element of `tensor` at `index`, in its compute type.
  mlir::Value at(mlir::Value tensor, const Index &index);
  /// Returns the element of an integer tensor as a position (i64; negative if the element is).
  mlir::Value positionAt(mlir::Value integers, const Index &index);
  /// Emits a store of `element` (of compute type) into the memory of `type` elements at `pointer`.
  void store(mlir::Value element, mlir::Type type, mlir::Value pointer, mlir::Value position);
  /// Emits a load of the element at `position` from the memory of `type` elements at `pointer`.
  /// Returns it in its compute type.
  mlir::Value load(mlir::Type type, mlir::Value pointer, mlir::Value position);

  /// Declares an element as known: at() returns `value`.
  void remember(mlir::Value tensor, const Index &index, mlir::Value value);

  // Reductions, one element at a time.
  /// Returns the type in which a reduction is accumulated: the compute type of its result. A
  /// product of floats up to f32 is accumulated in parts (emitScaledProduct).
  mlir::Type accumulatorType(mlir::Operation *reduction);
  /// Returns the value with which a reduction starts.
  mlir::Value neutral(mlir::Operation *reduction);
  /// Converts an element of the operand to an accumulator of that element alone.
  mlir::Value accumulated(mlir::Operation *reduction, mlir::Value element);
  /// Combines the accumulator with `element`, an element of the operand or another accumulator.
  mlir::Value combine(mlir::Operation *reduction, mlir::Value accumulator, mlir::Value element);
  /// Returns the operand element that goes into the result at `index`, at position `combined` among
  /// all elements that go there. For an integer matmul: one term of its sum.
  mlir::Value operandAt(mlir::Operation *reduction, const Index &index, const Index &combined);
  /// Returns the result after all elements are combined (a mean divides).
  mlir::Value finish(mlir::Operation *reduction, mlir::Value accumulator);

  mlir::ImplicitLocOpBuilder &b;
  IndexMath &math;

private:
  /// A tensor and the row-major position of an element.
  using Key = std::pair<mlir::Value, mlir::Value>;
  mlir::Value compute(mlir::Operation *op, const Index &index);
  mlir::Value computeMapped(mlir::Operation *op, const Index &index);
  mlir::Value computeLoop(mlir::Operation *reduction, const Index &index);
  mlir::Value computePooled(mlir::Operation *pool, const Index &index);
  mlir::Value computeConvolved(mlir::Operation *convolution, const Index &index);

  llvm::DenseMap<mlir::Value, mlir::Value> pointers, scalars;
  llvm::DenseMap<Key, mlir::Value> known; ///< the latest value of each element
};

/// Returns the sizes of the dimensions that a reduction or an integer matmul combines, one list for
/// each run of adjacent dimensions.
llvm::SmallVector<llvm::SmallVector<int64_t, 4>> combinedRuns(mlir::Operation *reduction);

/// Returns true if Elements can compute single elements of the op's result. It can for all core ops
/// but matmuls and convolutions with instructions, scatter_add, and constants of many values.
bool canComputeElements(mlir::Operation *op);

/// Emits the element of an elementwise op, given its operands' elements; null if `op` is not
/// elementwise.
mlir::Value emitPointwise(mlir::ImplicitLocOpBuilder &builder, mlir::Operation *op,
                          llvm::ArrayRef<mlir::Value> operands);

/// Emits a constant in the compute type of `type`. An integer type rounds toward zero, and limits
/// the number to its range.
mlir::Value emitNumber(mlir::ImplicitLocOpBuilder &builder, mlir::Type type, double value);

/// Emits the conjunction of two conditions; a null condition always holds.
mlir::Value emitBoth(mlir::ImplicitLocOpBuilder &builder, mlir::Value a, mlir::Value b);

/// Emits a loop over from ≤ position < to.
void emitLoop(mlir::ImplicitLocOpBuilder &builder, mlir::Value from, mlir::Value to,
              llvm::function_ref<void(mlir::Value position)> body);

/// Emits the same loop with values carried between iterations; returns the values after the last
/// one.
llvm::SmallVector<mlir::Value>
emitLoop(mlir::ImplicitLocOpBuilder &builder, mlir::Value from, mlir::Value to,
         mlir::ValueRange initial,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

/// Emits a loop over from, from + step, … below `to`.
void emitStridedLoop(mlir::ImplicitLocOpBuilder &builder, mlir::Value from, mlir::Value to,
                     mlir::Value step, llvm::function_ref<void(mlir::Value)> body);
llvm::SmallVector<mlir::Value> emitStridedLoop(
    mlir::ImplicitLocOpBuilder &builder, mlir::Value from, mlir::Value to, mlir::Value step,
    mlir::ValueRange initial,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

//===-- ScaledProduct.cpp -------------------------------------------------------------------===//

// Computes products of many f32 factors. A partial product may be out of the range of f32 although
// the final product is not: an infinite part times one that underflowed would be NaN. A part is
// therefore a mantissa and a power of two, in one i64. A part thus fits loops, memory and exchanges
// between threads:
//
//   bits 63…32   the exponent, an i32
//   bits 31…0    the mantissa, an f32 of magnitude 1 to 2; or zero, an infinity or NaN

/// Converts an f32 to a part.
mlir::Value emitScaled(mlir::ImplicitLocOpBuilder &builder, mlir::Value number);

/// Multiplies two parts. The exponent stays within 2^30, which 8 million factors of the greatest
/// magnitude reach.
mlir::Value emitScaledProduct(mlir::ImplicitLocOpBuilder &builder, mlir::Value a, mlir::Value b);

/// Converts a part to f32, rounding once.
mlir::Value emitUnscaled(mlir::ImplicitLocOpBuilder &builder, mlir::Value part);

} // namespace pcc::lower
