// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax, norms and dropout.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Indexing.h"
#include "compiler/values/Map.h"
#include "compiler/values/Scalars.h"
#include "dialects/graph/CounterRng.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/decompose/NormDecomposition.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Maps every row along `axis`. `value` gets an element's distance to the greatest element of its
/// row, and the sum of the exponentials of all distances, so that nothing overflows.
Tensor mapRows(const Tensor &x, int64_t axis, double (*value)(double distance, double sum)) {
  Tensor result(x.getType(), x.getShape());
  AxisView view(x.getShape(), axis);
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t n = 0; n < view.inner; ++n) {
      double greatest = -HUGE_VAL, sum = 0.0;
      for (int64_t i = 0; i < view.size; ++i)
        greatest = maximum(greatest, x[view.flat(o, i, n)].f);
      for (int64_t i = 0; i < view.size; ++i)
        sum += std::exp(x[view.flat(o, i, n)].f - greatest);
      for (int64_t i = 0; i < view.size; ++i)
        out[view.flat(o, i, n)].f = value(x[view.flat(o, i, n)].f - greatest, sum);
    }
  return result;
}

Tensor softmax(graph::SoftmaxOp op, llvm::ArrayRef<Tensor> in) {
  return mapRows(in[0], op.getAxis(),
                 [](double distance, double sum) { return std::exp(distance) / sum; });
}

Tensor logSoftmax(graph::LogSoftmaxOp op, llvm::ArrayRef<Tensor> in) {
  return mapRows(in[0], op.getAxis(),
                 [](double distance, double sum) { return distance - std::log(sum); });
}

/// Mean, and mean of the squared distances from `center`, which is by default the mean.
struct Moments {
  double mean = 0.0, variance = 0.0;

  /// Returns the moments of `count` elements of `x`; element n is at `position(n)`.
  template <typename Position>
  static Moments of(const Tensor &x, int64_t count, Position position,
                    std::optional<double> center = std::nullopt) {
    Moments moments;
    for (int64_t n = 0; n < count; ++n)
      moments.mean += x[position(n)].f / static_cast<double>(count);
    double from = center.value_or(moments.mean);
    for (int64_t n = 0; n < count; ++n) {
      double distance = x[position(n)].f - from;
      moments.variance += distance * distance / static_cast<double>(count);
    }
    return moments;
  }
};

/// Computes scale · (x - mean) / sqrt(variance + epsilon) + bias for every row of the dimensions
/// from `axis` on. A `center` replaces the mean; without `bias` no bias is added.
Tensor normalizeRows(const Tensor &x, const Tensor &scale, const Tensor *bias, double epsilon,
                     std::optional<double> center) {
  Tensor result(x.getType(), x.getShape());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  int64_t size = scale.size();
  for (int64_t begin = 0; begin < x.size(); begin += size) {
    Moments moments = Moments::of(x, size, [&](int64_t n) { return begin + n; }, center);
    double mean = center.value_or(moments.mean);
    for (int64_t n = 0; n < size; ++n)
      out[begin + n].f =
          scale[n].f * (x[begin + n].f - mean) / std::sqrt(moments.variance + epsilon) +
          (bias ? (*bias)[n].f : 0.0);
  }
  return result;
}

Tensor layerNorm(graph::LayerNormOp op, llvm::ArrayRef<Tensor> in) {
  return normalizeRows(in[0], in[1], in.size() > 2 ? &in[2] : nullptr,
                       op.getEpsilon().convertToDouble(), std::nullopt);
}

Tensor rmsNorm(graph::RmsNormOp op, llvm::ArrayRef<Tensor> in) {
  return normalizeRows(in[0], in[1], nullptr, op.getEpsilon().convertToDouble(), 0.0);
}

/// Normalizes channel c (dimension 1) by `momentsOf(c)`.
template <typename MomentsOf>
Tensor normalizeChannels(llvm::ArrayRef<Tensor> in, double epsilon, MomentsOf momentsOf) {
  const Tensor &x = in[0], &scale = in[1], &bias = in[2];
  Tensor result(x.getType(), x.getShape());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  AxisView view(x.getShape(), 1);
  for (int64_t c = 0; c < view.size; ++c) {
    Moments moments = momentsOf(c);
    double root = std::sqrt(moments.variance + epsilon);
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t n = 0; n < view.inner; ++n) {
        int64_t at = view.flat(o, c, n);
        out[at].f = scale[c].f * (x[at].f - moments.mean) / root + bias[c].f;
      }
  }
  return result;
}

LogicalResult batchNorm(graph::BatchNormOp op, OpCall &call) {
  llvm::ArrayRef<Tensor> in = call.operands;
  AxisView view(in[0].getShape(), 1);
  std::vector<Moments> all;
  for (int64_t c = 0; c < view.size; ++c)
    all.push_back(Moments::of(in[0], view.outer * view.inner, [&](int64_t n) {
      return view.flat(n / view.inner, c, n % view.inner);
    }));
  call.results.push_back(
      normalizeChannels(in, op.getEpsilon().convertToDouble(), [&](int64_t c) { return all[c]; }));
  double momentum = op.getMomentum().convertToDouble();
  double share = graph::runningShare(op, view.outer * view.inner);
  for (Moments &moments : all)
    moments.variance *= share; // from here on, as it enters the running variance
  auto moved = [&](const Tensor &old, double Moments::*now) {
    return generate(old.getType(), old.getShape(), [&](int64_t c) {
      return Element{.f = momentum * old[c].f + (1.0 - momentum) * (all[c].*now)};
    });
  };
  call.results.push_back(moved(in[3], &Moments::mean));
  call.results.push_back(moved(in[4], &Moments::variance));
  return success();
}

Tensor batchNormInference(graph::BatchNormInferenceOp op, llvm::ArrayRef<Tensor> in) {
  return normalizeChannels(in, op.getEpsilon().convertToDouble(),
                           [&](int64_t c) { return Moments{in[3][c].f, in[4][c].f}; });
}

Tensor dropout(graph::DropoutOp op, llvm::ArrayRef<Tensor> in) {
  const Tensor &x = in[0], &index = in[1];
  int64_t seed = in[2][0].i;
  double rate = op.getRate().convertToDouble();
  return generate(x.getType(), x.getShape(), [&](int64_t n) {
    bool isKept = graph::rngUniform(seed, index[n].i) >= static_cast<float>(rate);
    return Element{.f = isKept ? x[n].f / (1.0 - rate) : 0.0};
  });
}

} // namespace

void registerNormal(Registry &registry) {
  registry.add<graph::SoftmaxOp>(softmax);
  registry.add<graph::LogSoftmaxOp>(logSoftmax);
  registry.add<graph::LayerNormOp>(layerNorm);
  registry.add<graph::RmsNormOp>(rmsNorm);
  registry.add<graph::BatchNormOp>(batchNorm);
  registry.add<graph::BatchNormInferenceOp>(batchNormInference);
  registry.add<graph::DropoutOp>(dropout);
}

} // namespace pcc::interpret
