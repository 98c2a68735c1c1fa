// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and pooling.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Scalars.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Window.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace mlir;
using pcc::graph::Window;

namespace pcc::interpret {
namespace {

using Shape = llvm::ArrayRef<int64_t>;

/// Calls `visit(y, x, row, column)` for every element inside an image that a window of its result
/// sees, in row-major order of windows, then of their elements.
template <typename Visit> void forEachSeen(Shape image, Shape result, Window window, Visit visit) {
  auto inside = [&](unsigned dim, int64_t position) {
    return position >= 0 && position < image[dim];
  };
  for (int64_t y : llvm::seq(result[0]))
    for (int64_t x : llvm::seq(result[1]))
      for (int64_t a : llvm::seq(window.sizes[0])) {
        int64_t row = window.getPosition(0, y, a);
        for (int64_t b : llvm::seq(inside(0, row) ? window.sizes[1] : 0))
          if (int64_t column = window.getPosition(1, x, b); inside(1, column))
            visit(y * result[1] + x, row * image[1] + column, a * window.sizes[1] + b);
      }
}

/// Returns the number of elements in a plane of rows and columns of a 4-D tensor.
int64_t planeOf(Shape shape) { return shape[2] * shape[3]; }

/// Calls `visit(input, weight, result)` with the positions of the two factors and the sum, for each
/// multiplication of a convolution.
template <typename Visit>
void forEachProduct(Shape input, Shape weight, Shape result, const Window &window, Visit visit) {
  int64_t perGroup = weight[1], outputsPerGroup = weight[0] / (input[1] / perGroup);
  for (int64_t n : llvm::seq(input[0]))
    for (int64_t o : llvm::seq(weight[0]))
      for (int64_t c : llvm::seq(perGroup)) {
        int64_t channel = o / outputsPerGroup * perGroup + c;
        int64_t inputStart = (n * input[1] + channel) * planeOf(input);
        int64_t weightStart = (o * perGroup + c) * planeOf(weight);
        int64_t resultStart = (n * weight[0] + o) * planeOf(result);
        forEachSeen(input.drop_front(2), result.drop_front(2), window,
                    [&](int64_t at, int64_t seen, int64_t offset) {
                      visit(inputStart + seen, weightStart + offset, resultStart + at);
                    });
      }
}

Tensor conv2d(graph::Conv2dOp op, llvm::ArrayRef<Tensor> in) {
  Tensor sums = zerosOf(op.getType());
  llvm::MutableArrayRef<Element> out = sums.mutableElements();
  llvm::ArrayRef<Element> input = in[0].elements(), weight = in[1].elements();
  forEachProduct(in[0].getShape(), in[1].getShape(), sums.getShape(), Window::of(op),
                 [&](int64_t i, int64_t w, int64_t r) { out[r].f += input[i].f * weight[w].f; });
  return sums;
}

Tensor conv2dInputGradient(graph::Conv2dInputGradientOp op, llvm::ArrayRef<Tensor> in) {
  Tensor sums = zerosOf(op.getType());
  llvm::MutableArrayRef<Element> out = sums.mutableElements();
  llvm::ArrayRef<Element> gradient = in[0].elements(), weight = in[1].elements();
  forEachProduct(sums.getShape(), in[1].getShape(), in[0].getShape(), Window::of(op),
                 [&](int64_t i, int64_t w, int64_t r) { out[i].f += gradient[r].f * weight[w].f; });
  return sums;
}

Tensor conv2dWeightGradient(graph::Conv2dWeightGradientOp op, llvm::ArrayRef<Tensor> in) {
  Tensor sums = zerosOf(op.getType());
  llvm::MutableArrayRef<Element> out = sums.mutableElements();
  llvm::ArrayRef<Element> input = in[0].elements(), gradient = in[1].elements();
  forEachProduct(in[0].getShape(), sums.getShape(), in[1].getShape(), Window::of(op),
                 [&](int64_t i, int64_t w, int64_t r) { out[w].f += input[i].f * gradient[r].f; });
  return sums;
}

/// Calls `visit(result, input)` for every input element that the window of a result element sees.
template <typename Visit>
void forEachPooled(Shape input, Shape result, const Window &window, Visit visit) {
  for (int64_t plane : llvm::seq(input[0] * input[1]))
    forEachSeen(input.drop_front(2), result.drop_front(2), window,
                [&](int64_t at, int64_t seen, int64_t) {
                  visit(plane * planeOf(result) + at, plane * planeOf(input) + seen);
                });
}

Tensor maxPool(graph::MaxPoolOp op, llvm::ArrayRef<Tensor> in) {
  Tensor result = zerosOf(op.getType());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (Element &element : out)
    element.f = -HUGE_VAL;
  forEachPooled(in[0].getShape(), result.getShape(), Window::of(op),
                [&](int64_t r, int64_t i) { out[r].f = maximum(out[r].f, in[0][i].f); });
  return result;
}

Tensor avgPool(graph::AvgPoolOp op, llvm::ArrayRef<Tensor> in) {
  Tensor result = zerosOf(op.getType());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  Window window = Window::of(op);
  std::vector<int64_t> counts(result.size(), 0);
  forEachPooled(in[0].getShape(), result.getShape(), window, [&](int64_t r, int64_t i) {
    out[r].f += in[0][i].f;
    ++counts[r];
  });
  for (int64_t n = 0; n < result.size(); ++n)
    out[n].f /= static_cast<double>(op.getCountIncludePad() ? window.sizes[0] * window.sizes[1]
                                                            : counts[n]);
  return result;
}

/// Adds each gradient to the greatest element of its window: the first of equal elements, or the
/// first NaN.
Tensor maxPoolGradient(graph::MaxPoolGradientOp op, llvm::ArrayRef<Tensor> in) {
  Tensor sums = zerosOf(op.getType());
  llvm::MutableArrayRef<Element> out = sums.mutableElements();
  std::vector<int64_t> greatest(in[1].size(), -1);
  forEachPooled(in[0].getShape(), in[1].getShape(), Window::of(op), [&](int64_t r, int64_t i) {
    if (greatest[r] < 0) {
      greatest[r] = i;
      return;
    }
    double element = in[0][i].f, best = in[0][greatest[r]].f;
    if (element > best || (std::isnan(element) && !std::isnan(best)))
      greatest[r] = i;
  });
  for (int64_t r = 0; r < in[1].size(); ++r)
    if (greatest[r] >= 0)
      out[greatest[r]].f += in[1][r].f;
  return sums;
}

} // namespace

void registerWindows(Registry &registry) {
  registry.add<graph::Conv2dOp>(conv2d);
  registry.add<graph::Conv2dInputGradientOp>(conv2dInputGradient);
  registry.add<graph::Conv2dWeightGradientOp>(conv2dWeightGradient);
  registry.add<graph::MaxPoolOp>(maxPool);
  registry.add<graph::AvgPoolOp>(avgPool);
  registry.add<graph::MaxPoolGradientOp>(maxPoolGradient);
}

} // namespace pcc::interpret
