// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and softmax.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/TorchOperators.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace mlir;

namespace pcc::import {
namespace {

/// Emits a reduction over some dimensions as graph ops.
using Form = Tensor (*)(Emitter &, const Tensor &, llvm::ArrayRef<int64_t> dims);

/// Reduces `axes`, or all axes without a list. An empty list counts as no list, unless
/// `noop_with_empty_axes` makes each element a reduction of its own.
LogicalResult reduce(Node &node, Form form, std::optional<Shape> axes) {
  Tensor x = node.input(0);
  bool keepDims = node.integer("keepdims", 1) != 0;
  bool emptyIsIdentity = node.integer("noop_with_empty_axes", 0) != 0;
  if (axes && !(axes = node.checkAxes(*axes, x.rank())))
    return failure();
  if ((!axes || axes->empty()) && !emptyIsIdentity)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  Shape dims = axes.value_or(Shape());
  Tensor result = form(node.emit, x, dims);
  auto op = result.value ? result.value.getDefiningOp<graph::ReduceOp>() : graph::ReduceOp();
  bool isExtremum =
      op && llvm::is_contained({graph::ReduceOpKind::Max, graph::ReduceOpKind::Min}, op.getKind());
  if (isExtremum && dims.size() == 1 && choosesOneExtremum(node))
    op.setFirstWins(true);
  if (!keepDims)
    return node.setResult(result);
  Shape shape(x.shape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  return node.setResult(node.emit.reshape(result, shape));
}

template <Form form> LogicalResult reduceAttribute(Node &node) {
  return reduce(node, form, node.integers("axes"));
}

template <Form form> LogicalResult reduceInput(Node &node) {
  auto axes = node.optionalIntegers(1, "list of axes");
  return succeeded(axes) ? reduce(node, form, *axes) : failure();
}

template <graph::ReduceOpKind kind>
Tensor plain(Emitter &emit, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  if (x.elementType().isInteger(1)) { // true is greater than false
    Type number = emit.attributes().getI32Type();
    Tensor result = emit.reduce(kind, emit.cast(x, number), dims);
    return emit.compare(graph::Direction::GT, result, emit.scalar(number, 0.0));
  }
  return emit.reduce(kind, x, dims);
}

Tensor sum(Emitter &emit, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  return emit.reduce(graph::ReduceOpKind::Sum, x, dims);
}

Tensor sumOfMagnitudes(Emitter &emit, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  return sum(emit, emit.unary<graph::AbsOp>(x), dims);
}

Tensor sumOfSquares(Emitter &emit, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  return sum(emit, emit.unary<graph::SquareOp>(x), dims);
}

/// The gradient of a norm of zeros is zero, as in torch, although that of the root is infinite: the
/// root is taken of one there.
Tensor norm(Emitter &emit, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  Tensor sum = sumOfSquares(emit, x, dims);
  if (!sum || sum.known || !isa<FloatType>(sum.elementType()))
    return emit.unary<graph::SqrtOp>(sum);
  Tensor zero = emit.scalarLike(sum, 0.0);
  Tensor isZero = emit.compare(graph::Direction::EQ, sum, zero);
  Tensor root = emit.unary<graph::SqrtOp>(emit.select(isZero, emit.scalarLike(sum, 1.0), sum));
  return emit.select(isZero, zero, root);
}

Tensor logOfSum(Emitter &emit, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  return emit.unary<graph::LogOp>(sum(emit, x, dims));
}

/// Returns `x` with infinities replaced by zeros; integers are unchanged.
Tensor finiteOrZero(Emitter &emit, const Tensor &x) {
  if (!x || !isa<FloatType>(x.elementType()))
    return x;
  Tensor isInfinite =
      emit.compare(graph::Direction::EQ, emit.unary<graph::AbsOp>(x), emit.scalarLike(x, HUGE_VAL));
  return emit.select(isInfinite, emit.scalarLike(x, 0.0), x);
}

/// Subtracts the greatest element, so that no exponential overflows. An infinite greatest element
/// is not subtracted: the difference of infinities is NaN, but their exponentials and the logarithm
/// are right.
Tensor logOfSumOfExponentials(Emitter &emit, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  Tensor greatest = finiteOrZero(emit, emit.reduce(graph::ReduceOpKind::Max, x, dims));
  if (!greatest)
    return {};
  Shape shape(x.shape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  Tensor shifted = emit.binary<graph::SubOp>(x, emit.reshape(greatest, shape));
  Tensor log = logOfSum(emit, emit.unary<graph::ExpOp>(shifted), dims);
  return emit.binary<graph::AddOp>(greatest, log);
}

/// Imports softmax before opset 13: over all dimensions from `axis` on together.
LogicalResult importFlattenedSoftmax(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", 1), x.rank());
  if (!axis)
    return failure();
  if (*axis == x.rank() - 1)
    return node.setResult(emit.softmax(x, *axis));
  Tensor flat = emit.reshape(x, {ShapedType::getNumElements(x.shape().take_front(*axis)),
                                 ShapedType::getNumElements(x.shape().drop_front(*axis))});
  return node.setResult(emit.reshape(emit.softmax(flat, 1), x.shape()));
}

LogicalResult importSoftmax(Node &node) {
  auto axis = node.checkAxis(node.integer("axis", -1), node.input(0).rank());
  return axis ? node.setResult(node.emit.softmax(node.input(0), *axis)) : failure();
}

/// Make the row of a reduction whose axes are an attribute, or an input.
template <Form form> Operator withAttribute(llvm::StringLiteral name) {
  return {name, 1, 1, 1, FirstInput, reduceAttribute<form>};
}
template <Form form> Operator withInput(llvm::StringLiteral name, int64_t since) {
  return {name, since, 1, 2, FirstInput, reduceInput<form>};
}

} // namespace

llvm::ArrayRef<Operator> reduceOperators() {
  using Kind = graph::ReduceOpKind;
  static const Operator rows[] = {
      withAttribute<sumOfMagnitudes>("ReduceL1"),
      withInput<sumOfMagnitudes>("ReduceL1", 18),
      withAttribute<norm>("ReduceL2"),
      withInput<norm>("ReduceL2", 18),
      withAttribute<logOfSum>("ReduceLogSum"),
      withInput<logOfSum>("ReduceLogSum", 18),
      withAttribute<logOfSumOfExponentials>("ReduceLogSumExp"),
      withInput<logOfSumOfExponentials>("ReduceLogSumExp", 18),
      withAttribute<plain<Kind::Max>>("ReduceMax"),
      withInput<plain<Kind::Max>>("ReduceMax", 18),
      withAttribute<plain<Kind::Mean>>("ReduceMean"),
      withInput<plain<Kind::Mean>>("ReduceMean", 18),
      withAttribute<plain<Kind::Min>>("ReduceMin"),
      withInput<plain<Kind::Min>>("ReduceMin", 18),
      withAttribute<plain<Kind::Prod>>("ReduceProd"),
      withInput<plain<Kind::Prod>>("ReduceProd", 18),
      withAttribute<sum>("ReduceSum"),
      withInput<sum>("ReduceSum", 13),
      withAttribute<sumOfSquares>("ReduceSumSquare"),
      withInput<sumOfSquares>("ReduceSumSquare", 18),
      {"Softmax", 1, 1, 1, FirstInput, importFlattenedSoftmax},
      {"Softmax", 13, 1, 1, FirstInput, importSoftmax},
  };
  return rows;
}

} // namespace pcc::import
