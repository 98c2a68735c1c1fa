// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms, dropout and log softmax.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/TorchOperators.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace pcc::import {
namespace {

NamedAttribute number(Node &node, llvm::StringRef name, double value) {
  Builder &builder = node.emit.attributes();
  return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
}
NamedAttribute axisAttribute(Node &node, int64_t axis) {
  Builder &builder = node.emit.attributes();
  return builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis));
}

/// Emits a graph op of one result.
template <typename Op>
Tensor applyOne(Node &node, RankedTensorType type, llvm::ArrayRef<Tensor> operands,
                llvm::ArrayRef<NamedAttribute> attributes = {}) {
  return node.emit.apply<Op>(type, operands, attributes).front();
}

/// Emits x · factor + term, broadcast as in numpy; a null term adds nothing.
Tensor scaleAndShift(Emitter &emit, const Tensor &x, const Tensor &factor, const Tensor &term) {
  Tensor product = emit.binary<graph::MulOp>(x, factor);
  return term ? emit.binary<graph::AddOp>(product, term) : product;
}

//===------------------------------------------------------------------------------------------===//
// Layer norm and RMS norm
//===------------------------------------------------------------------------------------------===//

/// Emits the mean and 1 / standard deviation in f32, with the normalized dimensions of size one.
/// The training graph of an exporter reads them as additional results.
llvm::SmallVector<Tensor> emitStatistics(Node &node, const Tensor &x, int64_t axis,
                                         double epsilon) {
  Emitter &emit = node.emit;
  Tensor wide = emit.cast(x, Float32Type::get(emit.context()));
  Shape kept(x.shape());
  for (int64_t dim = axis; dim < x.rank(); ++dim)
    kept[dim] = 1;
  auto mean = [&](const Tensor &value) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(axis, x.rank()));
    return emit.reshape(emit.reduce(graph::ReduceOpKind::Mean, value, dims), kept);
  };
  Tensor average = mean(wide);
  Tensor deviation = emit.binary<graph::SubOp>(wide, average);
  Tensor variance = mean(emit.unary<graph::SquareOp>(deviation));
  if (!variance)
    return {Tensor(), Tensor()};
  Tensor shifted = emit.binary<graph::AddOp>(variance, emit.scalarLike(variance, epsilon));
  return {average, emit.unary<graph::RsqrtOp>(shifted)};
}

/// Imports a norm with the inputs x, scale and optional bias. Scale and bias may broadcast. If they
/// extend beyond the normalized dimensions, they are multiplied and added after the op.
template <typename Op> LogicalResult importTrailing(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), scale = node.input(1), bias = node.input(2);
  auto axis = node.checkAxis(node.integer("axis", -1), x.rank());
  double epsilon = node.number("epsilon", 1e-5);
  node.integer("stash_type", 1); // statistics are in f32 or wider in any case
  if (!axis)
    return failure();
  llvm::ArrayRef<int64_t> shape = x.shape().drop_front(*axis);
  auto fits = [&](const Tensor &value) {
    auto common = commonShape(value.shape(), shape);
    return common && llvm::equal(*common, shape);
  };
  bool isInside = fits(scale) && (!bias || fits(bias));
  Tensor ones = emit.broadcast(emit.scalarLike(x, 1.0), shape);
  llvm::SmallVector<Tensor> operands = {x, isInside ? emit.broadcast(scale, shape) : ones};
  if (isInside && bias)
    operands.push_back(emit.broadcast(bias, shape));
  Tensor result = applyOne<Op>(node, x.type, operands,
                               {axisAttribute(node, *axis), number(node, "epsilon", epsilon)});
  if (!isInside)
    result = scaleAndShift(emit, result, scale, bias);
  llvm::SmallVector<Tensor> results = {result};
  if (node.outputCount() > 1)
    llvm::append_range(results, emitStatistics(node, x, *axis, epsilon));
  return node.setResults(results);
}

//===------------------------------------------------------------------------------------------===//
// Batch norm
//===------------------------------------------------------------------------------------------===//

/// Imports a batch norm with the inputs x, scale, bias, mean and variance. With statistics of the
/// batch, the results are y and the new running statistics.
LogicalResult importBatchNorm(Node &node, bool isTraining) {
  llvm::SmallVector<NamedAttribute> attributes = {
      number(node, "epsilon", node.number("epsilon", 1e-5)),
      number(node, "momentum", node.number("momentum", 0.9))};
  if (isTorchBatchNorm(node))
    attributes.push_back(
        node.emit.attributes().getNamedAttr("unbiased", node.emit.attributes().getUnitAttr()));
  Tensor x = node.input(0);
  if (!isTraining)
    return node.setResult(
        applyOne<graph::BatchNormInferenceOp>(node, x.type, node.allInputs(), attributes));
  return node.setResults(node.emit.apply<graph::BatchNormOp>(
      {x.type, node.input(3).type, node.input(4).type}, node.allInputs(), attributes));
}

/// Imports a batch norm with `spatial` = 0: every element of a sample has its own scale, bias and
/// statistics.
LogicalResult importElementwiseBatchNorm(Node &node) {
  Emitter &emit = node.emit;
  double epsilon = node.number("epsilon", 1e-5);
  node.number("momentum", 0.9); // of running statistics, which are not updated
  if (node.outputCount() > 1)
    return emit.error() << "training with 'spatial' = 0 is not supported";
  Tensor variance = node.input(4);
  Tensor shifted = emit.binary<graph::AddOp>(variance, emit.scalarLike(variance, epsilon));
  Tensor factor = emit.binary<graph::MulOp>(node.input(1), emit.unary<graph::RsqrtOp>(shifted));
  Tensor deviation = emit.binary<graph::SubOp>(node.input(0), node.input(3));
  return node.setResult(scaleAndShift(emit, deviation, factor, node.input(2)));
}

/// Imports a batch norm up to opset 13, where a node with more results than y is a training node.
LogicalResult importBatchNorm9(Node &node) {
  return importBatchNorm(node, /*isTraining=*/node.outputCount() > 1);
}

LogicalResult importBatchNorm7(Node &node) {
  if (node.integer("spatial", 1) == 0)
    return importElementwiseBatchNorm(node);
  return importBatchNorm9(node);
}

LogicalResult importBatchNorm14(Node &node) {
  return importBatchNorm(node, /*isTraining=*/node.integer("training_mode", 0) != 0);
}

//===------------------------------------------------------------------------------------------===//
// Dropout
//===------------------------------------------------------------------------------------------===//

/// Returns the row-major number of each element of `shape`; the ops need no memory.
Tensor elementNumbers(Node &node, llvm::ArrayRef<int64_t> shape) {
  Emitter &emit = node.emit;
  auto integer = IntegerType::get(emit.context(), 64);
  auto type = RankedTensorType::get(shape, integer);
  Tensor sum;
  int64_t stride = 1;
  for (int64_t axis = static_cast<int64_t>(shape.size()) - 1; axis >= 0; --axis) {
    Tensor term = applyOne<graph::IotaOp>(node, type, {}, axisAttribute(node, axis));
    if (stride != 1)
      term = emit.binary<graph::MulOp>(term, emit.scalar(integer, static_cast<double>(stride)));
    sum = sum ? emit.binary<graph::AddOp>(sum, term) : term;
    stride *= shape[axis];
  }
  return sum ? sum : emit.scalar(integer, 0);
}

/// Returns the seed in the file, or else a seed from the name of the node's result.
Tensor seedOf(Node &node) {
  int64_t seed = node.hasAttribute("seed")
                     ? node.integer("seed", 0)
                     : static_cast<int64_t>(llvm::xxh3_64bits(node.outputName(0)));
  Constant scalar = Constant::scalar(IntegerType::get(node.emit.context(), 64), seed);
  return Tensor::of(node.emit.materialize(Tensor::of(std::move(scalar))));
}

/// Emits the result, and the mask of elements that were kept. The mask is boolean; up to opset 9 it
/// has the input's type.
LogicalResult dropOut(Node &node, double rate, Type maskElement) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  bool wantsMask = node.outputCount() > 1;
  if (rate == 0) {
    Tensor mask = emit.broadcast(emit.scalar(maskElement, 1), x.shape());
    return wantsMask ? node.setResults({x, mask}) : node.setResult(x);
  }
  Tensor numbers = elementNumbers(node, x.shape()), seed = seedOf(node);
  Tensor result =
      applyOne<graph::DropoutOp>(node, x.type, {x, numbers, seed}, number(node, "rate", rate));
  if (!wantsMask)
    return node.setResult(result);
  auto drawn = RankedTensorType::get(x.shape(), Float32Type::get(emit.context()));
  Tensor random = applyOne<graph::RngUniformOp>(node, drawn, {numbers, seed});
  Tensor mask =
      emit.compare(graph::Direction::GE, random, emit.scalar(drawn.getElementType(), rate));
  return node.setResults({result, emit.cast(mask, maskElement)});
}

/// Imports dropout up to opset 11, which has only inference: it drops nothing.
LogicalResult importDropout7(Node &node) {
  node.number("ratio", 0.5);
  return dropOut(node, 0, node.input(0).elementType());
}

LogicalResult importDropout10(Node &node) {
  node.number("ratio", 0.5);
  return dropOut(node, 0, IntegerType::get(node.emit.context(), 1));
}

LogicalResult importDropout12(Node &node) {
  std::optional<double> rate = 0.5;
  if (Tensor ratio = node.input(1))
    rate = ratio.known ? ratio.known->asNumber() : std::nullopt;
  if (!rate)
    return node.emit.error() << "expected the ratio to be a number known at import";
  bool isTraining = false;
  if (Tensor mode = node.input(2)) {
    auto known = mode.known ? mode.known->asIntegers() : std::nullopt;
    if (!known || known->size() != 1)
      return node.emit.error() << "expected 'training_mode' to be known at import";
    isTraining = known->front() != 0;
  }
  node.integer("seed", 0); // has no effect on a node that drops nothing
  return dropOut(node, isTraining ? *rate : 0, IntegerType::get(node.emit.context(), 1));
}

//===------------------------------------------------------------------------------------------===//
// Log softmax
//===------------------------------------------------------------------------------------------===//

/// Imports log softmax before opset 13: over all dimensions from `axis` on together.
LogicalResult importFlattenedLogSoftmax(Node &node) {
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", 1), x.rank());
  if (!axis)
    return failure();
  Tensor flat = node.emit.reshape(x, {ShapedType::getNumElements(x.shape().take_front(*axis)),
                                      ShapedType::getNumElements(x.shape().drop_front(*axis))});
  return node.setResult(node.emit.reshape(node.emit.logSoftmax(flat, 1), x.shape()));
}

LogicalResult importLogSoftmax(Node &node) {
  auto axis = node.checkAxis(node.integer("axis", -1), node.input(0).rank());
  return axis ? node.setResult(node.emit.logSoftmax(node.input(0), *axis)) : failure();
}

} // namespace

llvm::ArrayRef<Operator> normOperators() {
  constexpr auto affine = static_cast<Gradients>(FirstInput | SecondInput | ThirdInput);
  constexpr uint32_t running = FourthInput | FifthInput;
  static const Operator rows[] = {
      {"BatchNormalization", 7, 5, 5, affine, importBatchNorm7, running},
      {"BatchNormalization", 9, 5, 5, affine, importBatchNorm9, running},
      {"BatchNormalization", 14, 5, 5, affine, importBatchNorm14, running},
      {"BatchNormalization", 15, 5, 5, affine, importBatchNorm14, running},
      {"Dropout", 7, 1, 1, FirstInput, importDropout7},
      {"Dropout", 10, 1, 1, FirstInput, importDropout10},
      {"Dropout", 12, 1, 3, FirstInput, importDropout12},
      {"LayerNormalization", 17, 2, 3, affine, importTrailing<graph::LayerNormOp>},
      {"LogSoftmax", 1, 1, 1, FirstInput, importFlattenedLogSoftmax},
      {"LogSoftmax", 13, 1, 1, FirstInput, importLogSoftmax},
      {"RMSNormalization", 23, 2, 2, affine, importTrailing<graph::RmsNormOp>},
  };
  return rows;
}

} // namespace pcc::import
