// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise maps over tensors of one shape.
#pragma once

#include "compiler/values/Tensor.h"

namespace pcc::values {

/// Returns the tensor of `type` whose element n is `element(n)`.
template <typename Fn>
Tensor generate(ElementType type, llvm::ArrayRef<int64_t> shape, Fn element) {
  Tensor result(type, shape);
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (int64_t n = 0, end = result.size(); n < end; ++n)
    out[n] = element(n);
  return result;
}

/// Applies `f` to every element of a tensor of floats.
template <typename F> Tensor mapFloats(const Tensor &x, F f) {
  llvm::ArrayRef<Element> in = x.elements();
  return generate(x.getType(), x.getShape(), [&](int64_t n) { return Element{.f = f(in[n].f)}; });
}

template <typename F> Tensor mapIntegers(const Tensor &x, F f) {
  llvm::ArrayRef<Element> in = x.elements();
  return generate(x.getType(), x.getShape(), [&](int64_t n) { return Element{.i = f(in[n].i)}; });
}

/// Applies `f` to floats, or `g` to integers.
template <typename F, typename G> Tensor mapNumbers(const Tensor &x, F f, G g) {
  return x.isFloat() ? mapFloats(x, f) : mapIntegers(x, g);
}

template <typename F> Tensor zipFloats(const Tensor &x, const Tensor &y, F f) {
  llvm::ArrayRef<Element> a = x.elements(), b = y.elements();
  return generate(x.getType(), x.getShape(),
                  [&](int64_t n) { return Element{.f = f(a[n].f, b[n].f)}; });
}

template <typename F> Tensor zipIntegers(const Tensor &x, const Tensor &y, F f) {
  llvm::ArrayRef<Element> a = x.elements(), b = y.elements();
  return generate(x.getType(), x.getShape(),
                  [&](int64_t n) { return Element{.i = f(a[n].i, b[n].i)}; });
}

template <typename F, typename G> Tensor zipNumbers(const Tensor &x, const Tensor &y, F f, G g) {
  return x.isFloat() ? zipFloats(x, y, f) : zipIntegers(x, y, g);
}

/// Applies `f` to two elements of `type`, as doubles, signed or unsigned integers.
template <typename F> Element combineElements(ElementType type, Element x, Element y, F f) {
  if (isFloat(type))
    return {.f = f(x.f, y.f)};
  if (isUnsigned(type))
    return {.i = static_cast<int64_t>(f(static_cast<uint64_t>(x.i), static_cast<uint64_t>(y.i)))};
  return {.i = f(x.i, y.i)};
}

} // namespace pcc::values
