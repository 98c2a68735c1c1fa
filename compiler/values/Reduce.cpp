// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions.

#include "compiler/values/Compute.h"
#include "compiler/values/Indexing.h"
#include "compiler/values/Map.h"
#include "compiler/values/Scalars.h"
#include <algorithm>
#include <cmath>

namespace pcc::values {
namespace {

/// Returns strides of the result's elements over the input's index: 0 along reduced dimensions.
llvm::SmallVector<int64_t, 4> resultStrides(llvm::ArrayRef<int64_t> inputShape,
                                            llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t, 4> strides(inputShape.size(), 0);
  int64_t stride = 1;
  for (int64_t dim = static_cast<int64_t>(inputShape.size()) - 1; dim >= 0; --dim)
    if (!llvm::is_contained(dims, dim)) {
      strides[dim] = stride;
      stride *= inputShape[dim];
    }
  return strides;
}

template <typename T> T combine(graph::ReduceOpKind kind, T x, T y) {
  switch (kind) {
  case graph::ReduceOpKind::Sum:
  case graph::ReduceOpKind::Mean:
    return add(x, y);
  case graph::ReduceOpKind::Max:
    return maximum(x, y);
  case graph::ReduceOpKind::Min:
    return minimum(x, y);
  case graph::ReduceOpKind::Prod:
    return multiply(x, y);
  }
  llvm_unreachable("every kind is listed");
}

/// Returns the reduction of no element.
Element emptyReduction(graph::ReduceOpKind kind, ElementType type) {
  switch (kind) {
  case graph::ReduceOpKind::Sum:
  case graph::ReduceOpKind::Mean:
    return {.i = 0};
  case graph::ReduceOpKind::Prod:
    return isFloat(type) ? Element{.f = 1.0} : Element{.i = 1};
  case graph::ReduceOpKind::Max:
    return isFloat(type) ? Element{.f = -HUGE_VAL} : Element{.i = minOf(type)};
  case graph::ReduceOpKind::Min:
    return isFloat(type) ? Element{.f = HUGE_VAL} : Element{.i = maxOf(type)};
  }
  llvm_unreachable("every kind is listed");
}

/// Divides sums for a mean, which is only defined for floats; the mean of no element is NaN.
void divideBy(Tensor &sums, int64_t count) {
  for (Element &sum : sums.mutableElements())
    sum.f /= static_cast<double>(count);
}

/// Multiplies mantissas and adds exponents, so that no partial result overflows or underflows
/// unless the final result does.
void multiplyScaled(const Tensor &x, llvm::MutableArrayRef<Element> out,
                    llvm::ArrayRef<int64_t> strides) {
  std::vector<int64_t> exponents(out.size(), 0);
  int64_t next = 0;
  forEachIndex(x.getShape(), [&](llvm::ArrayRef<int64_t> index) {
    int64_t to = flatten(index, strides);
    int exponent = 0, more = 0;
    double mantissa = std::frexp(x[next++].f, &exponent);
    out[to].f = std::frexp(out[to].f * mantissa, &more);
    // frexp leaves the exponent of infinities and NaN unspecified.
    exponents[to] += std::isfinite(out[to].f) ? exponent + more : 0;
  });
  constexpr int64_t far = 1 << 14; // beyond the exponents of doubles
  for (auto [element, exponent] : llvm::zip_equal(out, exponents))
    element.f = std::ldexp(element.f, static_cast<int>(std::clamp(exponent, -far, far)));
}

} // namespace

Tensor computeReduce(graph::ReduceOpKind kind, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t, 4> shape;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(x.getDim(dim));
  Tensor result(x.getType(), shape);
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  llvm::fill(out, emptyReduction(kind, x.getType()));
  auto strides = resultStrides(x.getShape(), dims);
  if (kind == graph::ReduceOpKind::Prod && x.isFloat()) {
    multiplyScaled(x, out, strides);
    return result;
  }
  int64_t next = 0;
  forEachIndex(x.getShape(), [&](llvm::ArrayRef<int64_t> index) {
    Element &to = out[flatten(index, strides)];
    Element from = x[next++];
    to = combineElements(x.getType(), to, from,
                         [kind](auto a, auto b) { return combine(kind, a, b); });
  });
  if (kind == graph::ReduceOpKind::Mean && result.size() > 0)
    divideBy(result, x.size() / result.size());
  return result;
}

} // namespace pcc::values
