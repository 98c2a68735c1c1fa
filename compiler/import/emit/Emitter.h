// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds graph ops for one ONNX node. Most functions fold if all operands are known and the result
// is small or made of splats (maxFoldedElements); else they emit an op. So a handler is written
// once, and its node folds where possible. Subgraphs that compute shapes need no other evaluation.
// These functions never fold: map, apply, pad, softmax, logSoftmax, matmul, contractAxis.
//
// Errors are diagnosed at the node. The result is then a null tensor, which every function passes
// on, so that handlers compose calls without checking each result.
#pragma once

#include "compiler/import/files/Constant.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include <memory>
#include <vector>

namespace pcc::import {

/// A value of the model during import: a constant, the result of an op, a sequence of such values,
/// an optional value that does not exist, or null after an error. A tensor without elements is
/// always a constant.
struct Tensor {
  mlir::RankedTensorType type;           ///< as in the model; null: a sequence
  std::shared_ptr<const Constant> known; ///< null: not known
  mlir::Value value;                     ///< held; null: known, a sequence, or an error
  std::shared_ptr<const std::vector<Tensor>> sequence = nullptr; ///< null: a tensor

  explicit operator bool() const { return known || value || sequence; }
  bool isAbsent() const { return sequence && sequence == absent().sequence; }
  bool isEmpty() const { return known && known->size() == 0; }
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
  int64_t rank() const { return type.getRank(); }
  mlir::Type elementType() const { return type.getElementType(); }

  /// Returns the tensor with the type in which the program holds it, which differs from `type` for
  /// narrow elements (NarrowTypes.h). All ops work on held tensors; only `cast` takes others.
  Tensor held() const;
  /// Returns this held tensor as one of the narrow type `elementType`, whose numbers it has.
  Tensor asNarrow(mlir::Type elementType) const;

  static Tensor of(mlir::Value value);
  static Tensor of(Constant constant);
  static Tensor ofSequence(std::vector<Tensor> elements);
  /// Returns the optional value that does not exist.
  static const Tensor &absent();
  /// Returns a tensor of `type`, which has no elements.
  static Tensor empty(mlir::RankedTensorType type);
};

/// Returns whether the graph dialect supports tensors of this element type.
bool isGraphElement(mlir::Type type);

class Emitter {
public:
  /// Maximum elements of a folded result, unless all operands are splats. Larger results become
  /// ops, since folding is for shapes and masks.
  static constexpr int64_t maxFoldedElements = int64_t(1) << 20;

  /// Maximum number of parts of a node that become ops one by one: steps, elements of a kernel.
  static constexpr int64_t maxParts = 4096;
  /// Maximum number of elements of a table that is computed from sizes alone.
  static constexpr int64_t maxTableElements = int64_t(1) << 24;

  /// Creates an emitter; `subject` begins every error: `'Gemm' of opset 16`.
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, std::string subject)
      : builder(builder), loc(loc), subject(std::move(subject)) {}

  mlir::Location location() const { return loc; }
  mlir::MLIRContext *context() const { return loc.getContext(); }

  /// Starts an error at the node, which the caller continues: `'Gemm' of opset 16: …`.
  mlir::InFlightDiagnostic error() const;
  /// Starts a warning in the same way.
  mlir::InFlightDiagnostic warning() const;

  /// Return whether as many parts, or elements of a table, are allowed as the product of `sizes`.
  /// Otherwise an error is emitted. Sizes come from the file, and may be huge.
  bool allowsParts(llvm::ArrayRef<int64_t> sizes, llvm::StringRef what) const;
  bool allowsTable(llvm::ArrayRef<int64_t> sizes) const;

  Tensor scalar(mlir::Type elementType, double value);
  Tensor scalarLike(const Tensor &x, double value) { return scalar(x.elementType(), value); }

  /// Emit elementwise ops. `binary`, `compare` and `select` broadcast as in numpy and require equal
  /// element types.
  template <typename Op> Tensor unary(const Tensor &x);
  template <typename Op> Tensor binary(const Tensor &x, const Tensor &y);
  Tensor compare(graph::Direction direction, const Tensor &x, const Tensor &y);
  Tensor select(const Tensor &predicate, const Tensor &x, const Tensor &y);
  Tensor cast(const Tensor &x, mlir::Type elementType);
  Tensor plus(const Tensor &x, double term) {
    return x ? binary<graph::AddOp>(x, scalarLike(x, term)) : x;
  }
  Tensor times(const Tensor &x, double factor) {
    return x ? binary<graph::MulOp>(x, scalarLike(x, factor)) : x;
  }

  /// Emits an op whose result has the operand's type, such as an elementwise op with attributes.
  /// Never folds.
  template <typename Op, typename... Args> Tensor map(const Tensor &x, Args... attributes);

  /// Emit shape ops. Axes are in [0, rank).
  Tensor reshape(const Tensor &x, llvm::ArrayRef<int64_t> shape);
  Tensor transpose(const Tensor &x, llvm::ArrayRef<int64_t> permutation);
  Tensor broadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape);
  Tensor slice(const Tensor &x, int64_t axis, int64_t start, int64_t stride, int64_t count);
  Tensor pad(const Tensor &x, int64_t axis, int64_t low, int64_t high, double value);
  Tensor concat(llvm::ArrayRef<Tensor> pieces, int64_t axis);
  llvm::SmallVector<Tensor> split(const Tensor &x, int64_t axis, llvm::ArrayRef<int64_t> sizes);
  Tensor gather(const Tensor &x, const Tensor &indices, int64_t axis);
  Tensor iota(mlir::Type elementType, int64_t count);
  /// Returns the index along `axis` as i64, in a shape that broadcasts to `shape`.
  Tensor positionAlong(llvm::ArrayRef<int64_t> shape, int64_t axis);
  /// Wraps indices of a dimension of `size`; negative indices count from the end.
  Tensor wrapNegative(const Tensor &indices, int64_t size);

  Tensor reduce(graph::ReduceOpKind kind, const Tensor &x, llvm::ArrayRef<int64_t> dims);
  Tensor softmax(const Tensor &x, int64_t axis);
  Tensor logSoftmax(const Tensor &x, int64_t axis);

  /// Emits a batched matmul of operands of rank at least 2; batch dimensions broadcast as in numpy.
  /// If an operand transposes its last two dimensions, the matmul reads the operand before the
  /// transpose. Many matrices times one matrix become an einsum and keep their dimensions: each
  /// dimension may be sharded, and the gradient of the one matrix is one matmul.
  Tensor matmul(const Tensor &x, const Tensor &y, bool transposeX = false, bool transposeY = false);

  /// Multiplies dimension `axis` by a matrix [new size, old size], with an einsum: `"abc,db->adc"`.
  Tensor contractAxis(const Tensor &x, const Tensor &matrix, int64_t axis);

  /// Emits any other op, never folded, with results of `types`. All results are null if the op does
  /// not verify or an operand is null.
  template <typename Op>
  llvm::SmallVector<Tensor> apply(llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<Tensor> operands,
                                  llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return apply(Op::getOperationName(), types, operands, attributes);
  }
  mlir::Builder &attributes() { return builder; }

  /// Returns the shape to which `shapes` broadcast; nothing after an error.
  std::optional<llvm::SmallVector<int64_t>>
  broadcastShape(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

  /// Returns the held value of `x` in the program: a constant op for a known tensor, null for a
  /// null tensor.
  mlir::Value materialize(const Tensor &x);

private:
  /// Returns whether a result of `shape` from `operands` (at least one) is folded.
  bool evaluates(llvm::ArrayRef<int64_t> shape,
                 std::initializer_list<const Tensor *> operands) const;
  llvm::SmallVector<Tensor> apply(llvm::StringRef op, llvm::ArrayRef<mlir::Type> types,
                                  llvm::ArrayRef<Tensor> operands,
                                  llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// Verifies the op just built. Returns null after an error.
  Tensor finish(mlir::Operation *op);
  /// Returns the folded elementwise op named `op`; null if it is not folded.
  Tensor folded(llvm::StringRef op, std::initializer_list<const Tensor *> operands);
  /// Broadcasts the operands to their common shape. Returns false after an error, or if an operand
  /// is null. Does not expand known tensors unless all are known; the program repeats them.
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
  if (x.isEmpty())
    return x;
  mlir::Value input = materialize(x);
  return input ? finish(Op::create(builder, loc, input.getType(), input, attributes...)) : Tensor();
}

} // namespace pcc::import
