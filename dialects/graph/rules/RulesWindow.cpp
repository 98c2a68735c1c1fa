// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of convolutions and pooling. Rows and columns of an image before and after are cut
// together, as window factors: a window reaches over the edge of a block. If no count divides both,
// they are whole.
#include "dialects/graph/Graph.h"

#include <numeric>

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

static void addWhole(FactorRule &rule, TensorFactors &dims, ArrayRef<int64_t> sizes) {
  for (int64_t size : sizes)
    dims.push_back(rule.addDim(size, FactorKind::Whole));
}

/// Adds the rows and columns of images to the dimensions of a batch and of channels.
static void addImage(FactorRule &rule, TensorFactors &input, ArrayRef<int64_t> inputShape,
                     TensorFactors &result, ArrayRef<int64_t> resultShape) {
  for (unsigned dim : {2, 3}) {
    int64_t common = std::gcd(inputShape[dim], resultShape[dim]);
    if (common == 1) {
      addWhole(rule, input, inputShape[dim]);
      addWhole(rule, result, resultShape[dim]);
      continue;
    }
    DimFactors window = rule.addDim(common, FactorKind::Window);
    input.push_back(window);
    result.push_back(window);
  }
}

namespace {

/// Kinds of the factors of a convolution in the current op.
struct ConvolutionKinds {
  FactorKind batch, outputs, inputs;
};

/// The factors of the three tensors of a convolution, in the order of the device matrix.
struct Convolution {
  /// ([n,g.c,y,x],[g.o,c,a,b]) -> ([n,g.o,y,x])
  Convolution(ArrayRef<int64_t> inputShape, ArrayRef<int64_t> weightShape,
              ArrayRef<int64_t> resultShape, ConvolutionKinds kinds) {
    int64_t groups = inputShape[1] / weightShape[1];
    DimFactors batch = rule.addDim(inputShape[0], kinds.batch);
    DimFactors group = rule.addDim(groups);
    DimFactors outputs = rule.addDim(weightShape[0] / groups, kinds.outputs);
    DimFactors inputs = rule.addDim(weightShape[1], kinds.inputs);
    auto grouped = [&](const DimFactors &channels) {
      DimFactors both = group;
      llvm::append_range(both, channels);
      return both;
    };
    input = {batch, grouped(inputs)};
    weight = {grouped(outputs), inputs};
    result = {batch, grouped(outputs)};
    addImage(rule, input, inputShape, result, resultShape);
    addWhole(rule, weight, weightShape.drop_front(2));
  }

  FactorRule rule;
  TensorFactors input, weight, result;
};

} // namespace

FactorRule Conv2dOp::getFactorRule() {
  Convolution conv(getInput().getType().getShape(), getWeight().getType().getShape(),
                   getResult().getType().getShape(),
                   {FactorKind::Parallel, FactorKind::Parallel, FactorKind::Reduce});
  conv.rule.addOperand(conv.input);
  conv.rule.addOperand(conv.weight);
  conv.rule.addResult(conv.result);
  conv.rule.addLinear(0);
  conv.rule.addLinear(1);
  return conv.rule;
}

FactorRule Conv2dInputGradientOp::getFactorRule() {
  Convolution conv(getResult().getType().getShape(), getWeight().getType().getShape(),
                   getGradient().getType().getShape(),
                   {FactorKind::Parallel, FactorKind::Reduce, FactorKind::Parallel});
  conv.rule.addOperand(conv.result);
  conv.rule.addOperand(conv.weight);
  conv.rule.addResult(conv.input);
  conv.rule.addLinear(0);
  conv.rule.addLinear(1);
  return conv.rule;
}

FactorRule Conv2dWeightGradientOp::getFactorRule() {
  Convolution conv(getInput().getType().getShape(), getResult().getType().getShape(),
                   getGradient().getType().getShape(),
                   {FactorKind::Reduce, FactorKind::Parallel, FactorKind::Parallel});
  conv.rule.addOperand(conv.input);
  conv.rule.addOperand(conv.result);
  conv.rule.addResult(conv.weight);
  conv.rule.addLinear(0);
  conv.rule.addLinear(1);
  return conv.rule;
}

static FactorRule poolRule(ArrayRef<int64_t> input, ArrayRef<int64_t> result) {
  FactorRule rule;
  TensorFactors from = {rule.addDim(input[0]), rule.addDim(input[1])}, to = from;
  addImage(rule, from, input, to, result);
  rule.addOperand(std::move(from));
  rule.addResult(std::move(to));
  return rule;
}

FactorRule MaxPoolOp::getFactorRule() {
  FactorRule rule = poolRule(getInput().getType().getShape(), getResult().getType().getShape());
  rule.addLinear(0, ReduceKind::Max);
  return rule;
}

FactorRule AvgPoolOp::getFactorRule() {
  FactorRule rule = poolRule(getInput().getType().getShape(), getResult().getType().getShape());
  rule.addLinear(0);
  return rule;
}

FactorRule MaxPoolGradientOp::getFactorRule() {
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> gradient = getGradient().getType().getShape();
  FactorRule rule;
  TensorFactors image = {rule.addDim(input[0]), rule.addDim(input[1])}, pooled = image;
  addImage(rule, image, input, pooled, gradient);
  rule.addOperand(image);
  rule.addOperand(std::move(pooled));
  rule.addResult(std::move(image));
  rule.addLinear(1);
  return rule;
}
