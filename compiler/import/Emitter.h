// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds graph ops for one ONNX node. Every function computes at once when all its operands are
// known, and else emits an op: a handler is written once and its node folds where it can. That is
// all there is to evaluating sub-graphs that compute shapes.
//
// Errors are diagnosed at the node; the result is then a null tensor, which every function passes
// on, so that handlers compose calls without checking each.
#pragma once

#include "compiler/import/Constant.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include <memory>

namespace pcc::import {

/// A value of the model during import: known, or the result of an op, or null after an error.
struct Tensor {
  mlir::RankedTensorType type;
  std::shared_ptr<const Constant> known; ///< null: not known
  mlir::Value value;                     ///< null: known, or an error

  explicit operator bool() const { return known || value; }
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
  int64_t rank() const { return type.getRank(); }
  mlir::Type elementType() const { return type.getElementType(); }

  static Tensor of(mlir::Value value);
  static Tensor of(Constant constant);
};

/// Whether the graph dialect has tensors of such elements; constants may have others.
bool isGraphElement(mlir::Type type);

class Emitter {
public:
  /// Larger results are left to the program: evaluating here is for shapes and masks, not for work.
  static constexpr int64_t mostEvaluated = int64_t(1) << 20;

  /// `subject` begins every error: `'Gemm' of opset 16`.
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, std::string subject)
      : builder(builder), loc(loc), subject(std::move(subject)) {}

  mlir::Location location() const { return loc; }
  mlir::MLIRContext *context() const { return loc.getContext(); }

  /// An error at the node, continued by the caller: `'Gemm' of opset 16: …`.
  mlir::InFlightDiagnostic error() const;

  Tensor scalar(mlir::Type elementType, double value);
  Tensor scalarLike(const Tensor &x, double value) { return scalar(x.elementType(), value); }

  /// Elementwise; `binary`, `compare` and `select` broadcast numpy's way and want equal element
  /// types.
  template <typename Op> Tensor unary(const Tensor &x);
  template <typename Op> Tensor binary(const Tensor &x, const Tensor &y);
  Tensor compare(graph::Direction direction, const Tensor &x, const Tensor &y);
  Tensor select(const Tensor &predicate, const Tensor &x, const Tensor &y);
  Tensor cast(const Tensor &x, mlir::Type elementType);

  /// An elementwise op with attributes, never folded.
  template <typename Op, typename... Args> Tensor map(const Tensor &x, Args... attributes);

  /// Shapes. Axes lie in [0, rank).
  Tensor reshape(const Tensor &x, llvm::ArrayRef<int64_t> shape);
  Tensor transpose(const Tensor &x, llvm::ArrayRef<int64_t> permutation);
  Tensor broadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape);
  Tensor slice(const Tensor &x, int64_t axis, int64_t start, int64_t stride, int64_t count);
  Tensor pad(const Tensor &x, int64_t axis, int64_t low, int64_t high, double value);
  Tensor concat(llvm::ArrayRef<Tensor> pieces, int64_t axis);
  llvm::SmallVector<Tensor> split(const Tensor &x, int64_t axis, llvm::ArrayRef<int64_t> sizes);
  Tensor gather(const Tensor &x, const Tensor &indices, int64_t axis);
  Tensor iota(mlir::Type elementType, int64_t count);
  /// The index along `axis` of a tensor of `shape` as i64, as what broadcasts to that shape.
  Tensor placeAlong(llvm::ArrayRef<int64_t> shape, int64_t axis);
  /// Indices of a dimension of `size`; those below zero count from its end.
  Tensor wrapNegative(const Tensor &indices, int64_t size);

  Tensor reduce(graph::ReduceOpKind kind, const Tensor &x, llvm::ArrayRef<int64_t> dims);
  Tensor softmax(const Tensor &x, int64_t axis);
  Tensor logSoftmax(const Tensor &x, int64_t axis);

  /// Batched product; batch dimensions broadcast numpy's way. An operand that is a transpose of its
  /// last two dimensions is read through it. Many matrices times one keep their dimensions and
  /// become an einsum: each of them may be split, and the gradient of the one is one product.
  Tensor matmul(const Tensor &x, const Tensor &y, bool transposeX = false, bool transposeY = false);

  /// Any other op, never folded: its results of `types`. All are null if it does not verify or an
  /// operand is null.
  template <typename Op>
  llvm::SmallVector<Tensor> apply(llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<Tensor> operands,
                                  llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return apply(Op::getOperationName(), types, operands, attributes);
  }
  mlir::Builder &attributes() { return builder; }

  /// The shape that `shapes` broadcast to; nothing after an error.
  std::optional<llvm::SmallVector<int64_t>>
  broadcastShape(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

  /// The value of `x` in the program; a constant op for a known tensor, null for a null one.
  mlir::Value materialize(const Tensor &x);

private:
  /// Whether a result of `shape` computed from `operands` (at least one) is evaluated now.
  bool evaluates(llvm::ArrayRef<int64_t> shape,
                 std::initializer_list<const Tensor *> operands) const;
  llvm::SmallVector<Tensor> apply(llvm::StringRef op, llvm::ArrayRef<mlir::Type> types,
                                  llvm::ArrayRef<Tensor> operands,
                                  llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// Checks the op just built; null, and an error, where it does not verify.
  Tensor finish(mlir::Operation *op);
  /// The elementwise op named `op` where it is evaluated now, else null.
  Tensor folded(llvm::StringRef op, std::initializer_list<const Tensor *> operands);
  /// Gives the operands their common shape; false, and an error, if they have none or one is null.
  /// Repeating a known tensor is left to the program unless all are known.
  bool broadcastTogether(std::initializer_list<Tensor *> operands);
  bool haveEqualTypes(const Tensor &x, const Tensor &y) const;
  Tensor multiplyRows(const Tensor &x, const Tensor &y, bool transposeX, bool transposeY);
  Tensor lookThroughTranspose(const Tensor &x, bool &isTransposed);
  std::optional<llvm::SmallVector<int64_t>> joinedShape(llvm::ArrayRef<Tensor> pieces,
                                                        int64_t axis);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string subject;
};

template <typename Op> Tensor Emitter::unary(const Tensor &x) {
  if (Tensor known = folded(Op::getOperationName(), {&x}))
    return known;
  return map<Op>(x);
}

template <typename Op> Tensor Emitter::binary(const Tensor &x, const Tensor &y) {
  Tensor a = x, b = y;
  if (!haveEqualTypes(a, b) || !broadcastTogether({&a, &b}))
    return {};
  if (Tensor known = folded(Op::getOperationName(), {&a, &b}))
    return known;
  mlir::Value lhs = materialize(a), rhs = materialize(b);
  return lhs && rhs ? finish(Op::create(builder, loc, lhs.getType(), lhs, rhs)) : Tensor();
}

template <typename Op, typename... Args> Tensor Emitter::map(const Tensor &x, Args... attributes) {
  mlir::Value input = materialize(x);
  return input ? finish(Op::create(builder, loc, input.getType(), input, attributes...)) : Tensor();
}

} // namespace pcc::import
