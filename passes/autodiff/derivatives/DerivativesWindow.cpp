// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of convolutions, which are convolutions again, and of pooling.
#include "dialects/graph/Window.h"
#include "passes/autodiff/derivatives/Derivatives.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

namespace {
/// The ops of one family of windows. y = conv(x, w) is linear in both operands, so any two of the
/// three give the gradient of the third.
struct Convolutions {
  explicit Convolutions(Backward &b, Window window) : b(b), window(window) {}

  Value forward(Value input, Value weight) {
    return b.make<Conv2dOp>(input, weight, window.strides, window.padding, window.dilations);
  }
  Value inputGradient(Value gradient, Value weight, Type input) {
    return b.make<Conv2dInputGradientOp>(input, gradient, weight, window.strides, window.padding,
                                         window.dilations);
  }
  Value weightGradient(Value input, Value gradient, Type weight) {
    return b.make<Conv2dWeightGradientOp>(weight, input, gradient, window.strides, window.padding,
                                          window.dilations);
  }

  Backward &b;
  Window window;
};
} // namespace

static void differentiateConv2d(Backward &b) {
  auto op = b.op<Conv2dOp>();
  Convolutions ops(b, Window::of(op));
  if (b.wants(0)) {
    nameAfterOperand(b, 0);
    b.setGradient(0, ops.inputGradient(b.gradient(), op.getWeight(), op.getInput().getType()));
  }
  if (b.wants(1)) {
    nameAfterOperand(b, 1);
    b.setGradient(1, ops.weightGradient(op.getInput(), b.gradient(), op.getWeight().getType()));
  }
}

static void differentiateInputGradient(Backward &b) {
  auto op = b.op<Conv2dInputGradientOp>();
  Convolutions ops(b, Window::of(op));
  if (b.wants(0))
    b.setGradient(0, ops.forward(b.gradient(), op.getWeight()));
  if (b.wants(1))
    b.setGradient(1, ops.weightGradient(b.gradient(), op.getGradient(), op.getWeight().getType()));
}

static void differentiateWeightGradient(Backward &b) {
  auto op = b.op<Conv2dWeightGradientOp>();
  Convolutions ops(b, Window::of(op));
  if (b.wants(0))
    b.setGradient(0, ops.inputGradient(op.getGradient(), b.gradient(), op.getInput().getType()));
  if (b.wants(1))
    b.setGradient(1, ops.forward(op.getInput(), b.gradient()));
}

static void differentiateMaxPool(Backward &b) {
  auto op = b.op<MaxPoolOp>();
  b.setGradient(0, b.make<MaxPoolGradientOp>(op.getInput().getType(), op.getInput(), b.gradient(),
                                             op.getWindow(), op.getStrides(), op.getPadding(),
                                             op.getDilations()));
}

/// Returns the number of elements in each window's mean.
static Value makeCounts(Backward &b, AvgPoolOp op) {
  Window window = Window::of(op);
  ArrayRef<int64_t> input = op.getInput().getType().getShape(), result = op.getType().getShape();
  auto count = [&](unsigned dim, int64_t at) {
    return double(op.getCountIncludePad() ? window.sizes[dim]
                                          : window.countInside(dim, at, input[dim + 2]));
  };
  Type element = op.getType().getElementType();
  SmallVector<Attribute> counts;
  for (int64_t row = 0; row < result[2]; ++row)
    for (int64_t column = 0; column < result[3]; ++column)
      counts.push_back(FloatAttr::get(element, count(0, row) * count(1, column)));
  auto type = RankedTensorType::get(result.drop_front(2), element);
  Value constant = b.make<ConstantOp>(type, DenseElementsAttr::get(type, counts));
  return b.make<BroadcastOp>(op.getType(), constant, ArrayRef<int64_t>{2, 3});
}

/// A mean is a convolution of each channel alone with ones, divided by the counts.
static void differentiateAvgPool(Backward &b) {
  auto op = b.op<AvgPoolOp>();
  RankedTensorType type = op.getInput().getType();
  ArrayRef<int64_t> window = op.getWindow();
  Value ones = b.splat(type.clone({type.getDimSize(1), 1, window[0], window[1]}), 1);
  Value gradient = b.div(b.gradient(), makeCounts(b, op));
  b.setGradient(0, Convolutions(b, Window::of(op)).inputGradient(gradient, ones, type));
}

void addWindowDerivatives(DerivativeTable &table) {
  table.rule<Conv2dOp>(differentiateConv2d);
  table.rule<Conv2dInputGradientOp>(differentiateInputGradient);
  table.rule<Conv2dWeightGradientOp>(differentiateWeightGradient);
  table.rule<MaxPoolOp>(differentiateMaxPool);
  table.rule<AvgPoolOp>(differentiateAvgPool);
  table.none<MaxPoolGradientOp>("a gradient that jumps where elements change their order");
}

} // namespace pcc::autodiff
