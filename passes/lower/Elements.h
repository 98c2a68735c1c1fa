// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pull-style code generation: what one element of a value is, in terms of elements of its operands.
//
//   at(relu(add(x, broadcast(b))), (r, c))  emits  max(x[r * n + c] + b[c], 0)
//
// A kernel is a function of core ops on tensors; its arguments are memory. Whatever is asked for
// again where its first value is visible is emitted once.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lower/Index.h"
#include "llvm/ADT/MapVector.h"

namespace pcc::lower {

/// The type in which elements of `type` are computed: f32 for narrower floats, else the type
/// itself.
mlir::Type computeType(mlir::Type type);

/// The LLVM type of an element in memory: i1 takes a byte, bf16 is its bits.
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

  /// `tensor` lies in memory at `pointer`.
  void bindMemory(mlir::Value tensor, mlir::Value pointer) { pointers[tensor] = pointer; }
  /// `tensor` is a scalar that the kernel got as a number.
  void bindScalar(mlir::Value tensor, mlir::Value value) { scalars[tensor] = value; }

  /// The element of `tensor` at `index`, in its compute type.
  mlir::Value at(mlir::Value tensor, const Index &index);
  /// The element of a tensor of integers, as a position (i64; negative where the element is).
  mlir::Value positionAt(mlir::Value integers, const Index &index);
  /// Emits a store of `element` (of compute type) into the memory of `type` elements at `pointer`.
  void store(mlir::Value element, mlir::Type type, mlir::Value pointer, mlir::Value position);
  mlir::Value load(mlir::Type type, mlir::Value pointer, mlir::Value position);

  /// The element is known: at() gives `value`.
  void remember(mlir::Value tensor, const Index &index, mlir::Value value);

  // Reductions, one element at a time.
  /// The type in which a reduction is accumulated: the compute type of its result, or of products
  /// of floats that of their parts (ScaledProduct.h).
  mlir::Type accumulatorType(mlir::Operation *reduction);
  /// The value with which a reduction starts.
  mlir::Value neutral(mlir::Operation *reduction);
  /// An element of the operand as an accumulator of that element alone.
  mlir::Value accumulated(mlir::Operation *reduction, mlir::Value element);
  /// The accumulator with `element`, one of the operand or another accumulator.
  mlir::Value combine(mlir::Operation *reduction, mlir::Value accumulator, mlir::Value element);
  /// The element of a reduction's operand that goes into the result at `index`, at position
  /// `combined` of those that go there. Of a product of integers: one product of its sum.
  mlir::Value operandAt(mlir::Operation *reduction, const Index &index, const Index &combined);
  /// What the result is when all elements are combined (a mean divides).
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

  llvm::DenseMap<mlir::Value, mlir::Value> pointers, scalars;
  llvm::DenseMap<Key, mlir::Value> known; ///< the latest value of each element
};

/// The sizes of the dimensions that a reduction or a product of integers combines, run by run of
/// neighbors.
llvm::SmallVector<llvm::SmallVector<int64_t, 4>> combinedRuns(mlir::Operation *reduction);

/// True if Elements computes the elements of the op's result: all core ops but those that read or
/// write memory in their own order (products of floats, scatter_add, constants of many values).
bool hasElements(mlir::Operation *op);

/// The element of an elementwise op, given those of its operands; null if `op` is not elementwise.
mlir::Value emitPointwise(mlir::ImplicitLocOpBuilder &builder, mlir::Operation *op,
                          llvm::ArrayRef<mlir::Value> operands);

/// A constant in a compute type; of an integer type the nearest number on the side of zero.
mlir::Value emitNumber(mlir::ImplicitLocOpBuilder &builder, mlir::Type type, double value);

/// Both conditions, of which a null one holds always.
mlir::Value emitBoth(mlir::ImplicitLocOpBuilder &builder, mlir::Value a, mlir::Value b);

/// A loop over from ≤ position < to.
void emitLoop(mlir::ImplicitLocOpBuilder &builder, mlir::Value from, mlir::Value to,
              llvm::function_ref<void(mlir::Value position)> body);

/// The same with values carried from one iteration to the next; returns those after the last.
llvm::SmallVector<mlir::Value>
emitLoop(mlir::ImplicitLocOpBuilder &builder, mlir::Value from, mlir::Value to,
         mlir::ValueRange initial,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

/// A loop over from, from + step, … below `to`.
void emitStridedLoop(mlir::ImplicitLocOpBuilder &builder, mlir::Value from, mlir::Value to,
                     mlir::Value step, llvm::function_ref<void(mlir::Value)> body);
llvm::SmallVector<mlir::Value> emitStridedLoop(
    mlir::ImplicitLocOpBuilder &builder, mlir::Value from, mlir::Value to, mlir::Value step,
    mlir::ValueRange initial,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

} // namespace pcc::lower
