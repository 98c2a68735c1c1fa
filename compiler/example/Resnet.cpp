// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// He et al.: Deep residual learning for image recognition, CVPR 2016, table 1: depths 18 and 50.
#include "compiler/example/Example.h"
#include "compiler/example/Network.h"

#include <cmath>

using namespace mlir;

namespace pcc::example {
namespace {

/// Adds a square convolution that divides the image size only by its stride.
Value convolve(Network &net, StringRef name, Value x, int64_t out, int64_t window, int64_t stride) {
  Network::Scope scope(net, name);
  int64_t in = shapeOf(x)[1], edge = window / 2;
  double deviation = std::sqrt(2.0 / double(out * window * window));
  Value weight = net.normal("weight", {out, in, window, window}, deviation);
  return net.make<graph::Conv2dOp>(x, weight, ArrayRef<int64_t>{stride, stride},
                                   ArrayRef<int64_t>{edge, edge, edge, edge},
                                   ArrayRef<int64_t>{1, 1});
}

Value normalize(Network &net, StringRef name, Value x) {
  Network::Scope scope(net, name);
  int64_t channels = shapeOf(x)[1];
  Value scale = net.ones("weight", channels), bias = net.zeros("bias", channels);
  Value mean = net.statistic("running_mean", channels, /*isOne=*/false);
  Value variance = net.statistic("running_var", channels, /*isOne=*/true);
  return net.make<graph::BatchNormInferenceOp>(x.getType(), x, scale, bias, mean, variance,
                                               APFloat(1e-5), /*momentum=*/APFloat(0.9));
}

/// One residual block of a stage, with `out` channels in its result.
struct Block {
  int64_t channels, out, stride;
  bool isBottleneck;
};

Value shortCut(Network &net, Value x, const Block &block) {
  if (block.stride == 1 && shapeOf(x)[1] == block.out)
    return x;
  Network::Scope scope(net, "downsample");
  return normalize(net, "1", convolve(net, "0", x, block.out, 1, block.stride));
}

Value addBlock(Network &net, const Twine &name, Value x, const Block &block) {
  Network::Scope scope(net, name);
  auto layer = [&](const char *number, Value from, int64_t out, int64_t window, int64_t stride) {
    Value sum = convolve(net, std::string("conv") + number, from, out, window, stride);
    return normalize(net, std::string("bn") + number, sum);
  };
  auto relu = [&](Value from) { return net.make<graph::ReluOp>(from); };
  Value y;
  if (block.isBottleneck) {
    y = relu(layer("1", x, block.channels, 1, 1));
    y = relu(layer("2", y, block.channels, 3, block.stride));
    y = layer("3", y, block.out, 1, 1);
  } else {
    y = relu(layer("1", x, block.channels, 3, block.stride));
    y = layer("2", y, block.out, 3, 1);
  }
  return relu(net.make<graph::AddOp>(y, shortCut(net, x, block)));
}

/// Adds a window of 7 with stride 2, and pooling. Images that are too small get a window of 3
/// without pooling (ibid., section 4.2).
Value addStem(Network &net, Value x, int64_t window) {
  bool isSmall = window == 3;
  x = normalize(net, "bn1", convolve(net, "conv1", x, 64, window, isSmall ? 1 : 2));
  x = net.make<graph::ReluOp>(x);
  if (isSmall)
    return x;
  return net.make<graph::MaxPoolOp>(x, ArrayRef<int64_t>{3, 3}, ArrayRef<int64_t>{2, 2},
                                    ArrayRef<int64_t>{1, 1, 1, 1}, ArrayRef<int64_t>{1, 1});
}

} // namespace

OwningOpRef<ModuleOp> buildResnet(const Sizes &sizes, FloatType type) {
  Network net(type);
  int64_t batch = sizes.at("batch"), image = sizes.at("image");
  bool isDeep = sizes.at("depth") == 50;
  Value x = net.data("x", {batch, 3, image, image});
  x = addStem(net, x, sizes.at("stem"));
  const int64_t shallow[] = {2, 2, 2, 2}, deep[] = {3, 4, 6, 3};
  for (int64_t stage = 0; stage < 4; ++stage) {
    Network::Scope scope(net, "layer" + Twine(stage + 1));
    int64_t channels = 64 << stage;
    for (int64_t index = 0; index < (isDeep ? deep : shallow)[stage]; ++index)
      x = addBlock(net, Twine(index), x,
                   {channels, isDeep ? 4 * channels : channels, stage && !index ? 2 : 1, isDeep});
  }
  x = net.make<graph::ReduceOp>(graph::ReduceOpKind::Mean, x, ArrayRef<int64_t>{2, 3});
  return net.finish(net.linear("fc", x, sizes.at("classes")), "logits");
}

} // namespace pcc::example
