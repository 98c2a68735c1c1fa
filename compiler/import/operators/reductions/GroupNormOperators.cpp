// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms over other elements than the trailing dimensions: of each channel or group of channels, of
// neighboring channels, of chosen axes.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Checks that there are a batch and channels.
LogicalResult checkChannels(Node &node) {
  Tensor x = node.input(0);
  if (x.rank() >= 2)
    return success();
  return node.emit.error() << "expected a batch and channels, got " << x.type;
}

/// Normalizes each of the `groups` of channels of each sample: a layer norm with the dimensions
/// batch, group, elements.
Tensor normalizeGroups(Node &node, int64_t groups) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  int64_t elements = ShapedType::getNumElements(x.shape().drop_front()) / groups;
  Tensor apart = emit.reshape(x, {x.shape()[0], groups, elements});
  if (!apart)
    return {};
  Tensor ones = emit.broadcast(emit.scalarLike(x, 1.0), {elements});
  Tensor zeros = emit.broadcast(emit.scalarLike(x, 0.0), {elements});
  Builder &b = emit.attributes();
  NamedAttribute attributes[] = {
      b.getNamedAttr("axis", b.getI64IntegerAttr(2)),
      b.getNamedAttr("epsilon", b.getF64FloatAttr(node.number("epsilon", 1e-5)))};
  Tensor normal =
      emit.apply<graph::LayerNormOp>(apart.type, {apart, ones, zeros}, attributes).front();
  return emit.reshape(normal, x.shape());
}

/// Scales and shifts each channel of `x`. Scale and bias have one number for each of `count`
/// channels or groups of channels.
LogicalResult scaleChannels(Node &node, const Tensor &x, int64_t count) {
  Emitter &emit = node.emit;
  if (!x)
    return failure();
  int64_t channels = x.shape()[1];
  auto perChannel = [&](const Tensor &numbers) {
    Tensor all = emit.broadcast(emit.reshape(numbers, {count, 1}), {count, channels / count});
    Shape shape(x.rank() - 1, 1);
    shape.front() = channels;
    return emit.reshape(all, shape);
  };
  for (size_t position : {1, 2})
    if (Tensor numbers = node.input(position); numbers.rank() != 1 || numbers.shape()[0] != count)
      return emit.error() << "expected a scale and a bias of " << count << " numbers, got "
                          << numbers.type;
  Tensor scaled = emit.binary<graph::MulOp>(x, perChannel(node.input(1)));
  return node.setResult(emit.binary<graph::AddOp>(scaled, perChannel(node.input(2))));
}

LogicalResult importInstanceNorm(Node &node) {
  if (failed(checkChannels(node)))
    return failure();
  int64_t channels = node.input(0).shape()[1];
  return scaleChannels(node, normalizeGroups(node, channels), channels);
}

/// Imports GroupNormalization. Before opset 21 scale and bias have one number for each group.
template <bool isPerGroup> LogicalResult importGroupNorm(Node &node) {
  if (failed(checkChannels(node)))
    return failure();
  int64_t channels = node.input(0).shape()[1], groups = node.integer("num_groups", 0);
  node.integer("stash_type", 1); // statistics are in f32 or wider in any case
  if (groups < 1 || channels % groups != 0)
    return node.emit.error() << "expected attribute 'num_groups' to divide " << channels
                             << " channels, got " << groups;
  return scaleChannels(node, normalizeGroups(node, groups), isPerGroup ? groups : channels);
}

/// Imports LRN. The sum over neighboring channels is a product with a band matrix of ones.
LogicalResult importLrn(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  if (failed(checkChannels(node)))
    return failure();
  int64_t size = node.integer("size", 0), channels = x.shape()[1];
  double alpha = node.number("alpha", 1e-4), beta = node.number("beta", 0.75);
  double bias = node.number("bias", 1.0);
  if (size < 1)
    return emit.error() << "expected attribute 'size' to be at least 1, got " << size;
  if (!emit.allowsTable({channels, channels}))
    return failure();
  llvm::SmallVector<int64_t> band;
  for (int64_t row : llvm::seq(channels))
    for (int64_t column : llvm::seq(channels))
      band.push_back(column >= row - (size - 1) / 2 && column <= row + size / 2);
  Tensor matrix =
      emit.reshape(Tensor::of(Constant::integers(emit.context(), band)), {channels, channels});
  Tensor squares = emit.unary<graph::SquareOp>(x);
  Tensor sum = emit.contractAxis(squares, emit.cast(matrix, x.elementType()), 1);
  if (!sum)
    return failure();
  Tensor scaled =
      emit.binary<graph::MulOp>(sum, emit.scalarLike(x, alpha / static_cast<double>(size)));
  Tensor base = emit.binary<graph::AddOp>(scaled, emit.scalarLike(x, bias));
  return node.setResult(
      emit.binary<graph::MulOp>(x, emit.binary<graph::PowOp>(base, emit.scalarLike(x, -beta))));
}

/// Returns a reduction of `x` that keeps the reduced dimensions with size 1.
Tensor reduceKept(Emitter &emit, graph::ReduceOpKind kind, const Tensor &x,
                  llvm::ArrayRef<int64_t> dims) {
  if (!x)
    return {};
  Shape shape(x.shape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  return emit.reshape(emit.reduce(kind, x, dims), shape);
}

/// Imports LpNormalization: zeros stay zeros.
LogicalResult importLpNorm(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", -1), x.rank());
  int64_t order = node.integer("p", 2);
  if (!axis)
    return failure();
  if (order != 1 && order != 2)
    return emit.error() << "expected attribute 'p' to be 1 or 2, got " << order;
  Tensor terms = order == 1 ? emit.unary<graph::AbsOp>(x) : emit.unary<graph::SquareOp>(x);
  Tensor sum = reduceKept(emit, graph::ReduceOpKind::Sum, terms, *axis);
  if (!sum)
    return failure();
  Tensor isZero = emit.compare(graph::Direction::EQ, sum, emit.scalarLike(sum, 0.0));
  Tensor safe = emit.select(isZero, emit.scalarLike(sum, 1.0), sum);
  Tensor norm = order == 1 ? safe : emit.unary<graph::SqrtOp>(safe);
  return node.setResult(emit.binary<graph::DivOp>(x, norm));
}

/// Imports MeanVarianceNormalization. The small term is that of ONNX's definition.
LogicalResult importMeanVarianceNorm(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto axes = node.checkAxes(node.integers("axes").value_or(Shape{0, 2, 3}), x.rank());
  if (!axes)
    return failure();
  using Kind = graph::ReduceOpKind;
  Tensor deviation = emit.binary<graph::SubOp>(x, reduceKept(emit, Kind::Mean, x, *axes));
  Tensor variance = reduceKept(emit, Kind::Mean, emit.unary<graph::SquareOp>(deviation), *axes);
  if (!variance)
    return failure();
  Tensor spread = emit.binary<graph::AddOp>(emit.unary<graph::SqrtOp>(variance),
                                            emit.scalarLike(variance, 1e-9));
  return node.setResult(emit.binary<graph::DivOp>(deviation, spread));
}

} // namespace

llvm::ArrayRef<Operator> groupNormOperators() {
  static const Operator rows[] = {
      {"GroupNormalization", 18, 3, 3, AllInputs, importGroupNorm<true>},
      {"GroupNormalization", 21, 3, 3, AllInputs, importGroupNorm<false>},
      {"InstanceNormalization", 6, 3, 3, AllInputs, importInstanceNorm},
      {"LRN", 1, 1, 1, FirstInput, importLrn},
      {"LpNormalization", 1, 1, 1, FirstInput, importLpNorm},
      {"MeanVarianceNormalization", 9, 1, 1, FirstInput, importMeanVarianceNorm},
  };
  return rows;
}

} // namespace pcc::import
