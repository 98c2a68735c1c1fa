// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares convolution instructions on the host with plain sums.

#include "test/unit/runtime/device/RunInstruction.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pcc::test {
namespace {

using namespace runtime;

/// Sizes of a convolution: rows and columns are equal, and so are their strides.
struct Sizes {
  int64_t batch, channels, image, outputs, groups, window, stride, low, high, dilation;

  int64_t result() const { return (image + low + high - (window - 1) * dilation - 1) / stride + 1; }
};

const Sizes allSizes[] = {
    {2, 3, 8, 5, 1, 3, 1, 1, 1, 1},     // same size
    {2, 16, 9, 32, 1, 3, 2, 1, 1, 1},   // stride 2, no window reaches the last column of padding
    {1, 4, 7, 6, 2, 2, 1, 0, 1, 1},     // groups, padding on one side
    {8, 8, 8, 8, 2, 3, 1, 1, 1, 1},     // groups of whole vectors
    {2, 8, 10, 8, 8, 3, 1, 2, 2, 2},    // each channel alone, dilated
    {3, 6, 5, 4, 1, 1, 1, 0, 0, 1},     // a matmul
    {1, 1, 1, 1, 1, 1, 1, 0, 0, 1},     // one element
    {1, 3, 12, 4, 1, 7, 2, 3, 3, 1},    // the first layer of a residual network
    {1, 2, 6, 2, 1, 2, 3, 0, 0, 1},     // elements outside of all windows
    {2, 32, 16, 16, 1, 3, 1, 1, 1, 1},  // Winograd's algorithm, 32 tiles
    {4, 16, 13, 48, 1, 3, 1, 1, 1, 1},  // the same, tiles beyond the edges
    {4, 16, 14, 48, 1, 3, 1, 1, 0, 1},  // enough tiles, but padding on one side
    {3, 20, 3, 40, 1, 3, 1, 1, 1, 1},   // matmuls: fewer windows than outputs
    {2, 130, 2, 260, 1, 3, 1, 1, 1, 1}, // the same, in blocks of channels
    {2, 5, 9, 24, 1, 3, 3, 1, 0, 1},    // the same, elements outside of all windows
    {1, 7, 6, 56, 1, 2, 1, 2, 1, 2},    // the same, dilated, padding wider than the window
    {4, 33, 1, 64, 1, 1, 1, 0, 0, 1}};  // the same, windows of one element

abi::Convolution makeConvolution(const Sizes &s, abi::Convolution::Kind kind) {
  abi::Convolution c;
  c.set_kind(kind);
  c.set_type(abi::F32);
  auto fill = [](auto *list, std::initializer_list<int64_t> values) {
    list->Add(values.begin(), values.end());
  };
  fill(c.mutable_input_shape(), {s.batch, s.channels, s.image, s.image});
  fill(c.mutable_weight_shape(), {s.outputs, s.channels / s.groups, s.window, s.window});
  fill(c.mutable_result_shape(), {s.batch, s.outputs, s.result(), s.result()});
  fill(c.mutable_strides(), {s.stride, s.stride});
  fill(c.mutable_padding(), {s.low, s.low, s.high, s.high});
  fill(c.mutable_dilations(), {s.dilation, s.dilation});
  return c;
}

/// The tensors of a convolution.
struct Tensors {
  std::vector<float> input, weight, result;
};

/// Calls `visit(input, weight, result)` with the element positions of each multiplication.
template <typename Visit> void forEachProduct(const Sizes &s, Visit visit) {
  int64_t perGroup = s.channels / s.groups, size = s.result();
  auto position = [&](int64_t at, int64_t offset) {
    return at * s.stride - s.low + offset * s.dilation;
  };
  auto inside = [&](int64_t at) { return at >= 0 && at < s.image; };
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t o = 0; o < s.outputs; ++o)
      for (int64_t c = 0; c < perGroup; ++c)
        for (int64_t at = 0; at < size * size; ++at)
          for (int64_t offset = 0; offset < s.window * s.window; ++offset) {
            int64_t row = position(at / size, offset / s.window);
            int64_t column = position(at % size, offset % s.window);
            int64_t channel = o / (s.outputs / s.groups) * perGroup + c;
            if (inside(row) && inside(column))
              visit(((n * s.channels + channel) * s.image + row) * s.image + column,
                    (o * perGroup + c) * s.window * s.window + offset,
                    (n * s.outputs + o) * size * size + at);
          }
}

std::vector<double> reference(const Sizes &s, abi::Convolution::Kind kind, const Tensors &t) {
  std::vector<double> sums;
  switch (kind) {
  case abi::Convolution::INPUT_GRADIENT:
    sums.resize(t.input.size());
    forEachProduct(s, [&](int64_t i, int64_t w, int64_t r) {
      sums[i] += double(t.weight[w]) * double(t.result[r]);
    });
    break;
  case abi::Convolution::WEIGHT_GRADIENT:
    sums.resize(t.weight.size());
    forEachProduct(s, [&](int64_t i, int64_t w, int64_t r) {
      sums[w] += double(t.input[i]) * double(t.result[r]);
    });
    break;
  default:
    sums.resize(t.result.size());
    forEachProduct(s, [&](int64_t i, int64_t w, int64_t r) {
      sums[r] += double(t.input[i]) * double(t.weight[w]);
    });
  }
  return sums;
}

/// Returns the tensor that the instruction writes.
std::vector<float> run(const abi::Convolution &convolution, const Tensors &t,
                       const std::vector<float> &bias, int threads) {
  ProgramBuilder builder(1);
  auto add = [&](const char *name, const std::vector<float> &values) {
    return builder.buffer(name, abi::PERSISTENT, abi::F32, {int64_t(values.size())});
  };
  uint32_t input = add("input", t.input), weight = add("weight", t.weight),
           result = add("result", t.result), biasBuffer = add("bias", bias);
  abi::Instruction instruction;
  abi::Convolution &c = *instruction.mutable_convolution();
  c = convolution;
  c.mutable_input()->set_buffer(input);
  c.mutable_weight()->set_buffer(weight);
  c.mutable_result()->set_buffer(result);
  if (!bias.empty())
    c.mutable_bias()->set_buffer(biasBuffer);
  uint32_t out = c.kind() == abi::Convolution::INPUT_GRADIENT    ? input
                 : c.kind() == abi::Convolution::WEIGHT_GRADIENT ? weight
                                                                 : result;
  return runInstruction(
      builder, instruction,
      {{input, t.input}, {weight, t.weight}, {result, t.result}, {biasBuffer, bias}}, out, threads,
      {});
}

Tensors randomTensors(std::mt19937 &random, const Sizes &s) {
  return {randomFloats(random, s.batch * s.channels * s.image * s.image),
          randomFloats(random, s.outputs * (s.channels / s.groups) * s.window * s.window),
          randomFloats(random, s.batch * s.outputs * s.result() * s.result())};
}

TEST(Convolution, AllKindsAndForms) {
  std::mt19937 random(1);
  for (const Sizes &s : allSizes)
    for (auto kind : {abi::Convolution::FORWARD, abi::Convolution::INPUT_GRADIENT,
                      abi::Convolution::WEIGHT_GRADIENT})
      for (int threads : {1, 2}) {
        Tensors tensors = randomTensors(random, s);
        std::vector<double> expected = reference(s, kind, tensors);
        std::vector<float> got = run(makeConvolution(s, kind), tensors, {}, threads);
        ASSERT_EQ(got.size(), expected.size());
        double worst = 0;
        for (size_t i = 0; i < got.size(); ++i)
          worst = std::max(worst, std::abs(got[i] - expected[i]));
        // Terms are below 1 in size and at most 1152 in number; each addition rounds by half an ulp
        // at most. Winograd's transforms scale intermediate values by up to 100: their error is
        // about ten times as large.
        EXPECT_LE(worst, 1e-4) << "case " << &s - allSizes << " kind " << kind;
      }
}

TEST(Convolution, BiasAndRelu) {
  std::mt19937 random(2);
  for (const Sizes &s : {allSizes[1], allSizes[9], allSizes[12]}) {
    Tensors tensors = randomTensors(random, s);
    std::vector<float> bias = randomFloats(random, s.outputs);
    abi::Convolution convolution = makeConvolution(s, abi::Convolution::FORWARD);
    convolution.set_activation(abi::RELU);
    std::vector<double> expected = reference(s, abi::Convolution::FORWARD, tensors);
    std::vector<float> got = run(convolution, tensors, bias, 1);
    int64_t plane = s.result() * s.result();
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], std::max(0.0, expected[i] + bias[i / plane % s.outputs]), 1e-4);
  }
}

} // namespace
} // namespace pcc::test
