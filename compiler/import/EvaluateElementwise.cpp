// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Evaluate.h"
#include "dialects/graph/Direction.h"

#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace pcc::import {
namespace {

/// An op of one operand: on floats and, where it has a meaning, on integers.
struct Unary {
  double (*onFloats)(double);
  int64_t (*onIntegers)(int64_t) = nullptr;
};

struct Binary {
  double (*onFloats)(double, double);
  int64_t (*onIntegers)(int64_t, int64_t) = nullptr;
};

const llvm::StringMap<Unary> &unaryTable() {
  // Integer arithmetic wraps: it is done on unsigned numbers.
  static const llvm::StringMap<Unary> table = {
      {"graph.neg",
       {[](double x) { return -x; },
        [](int64_t x) { return static_cast<int64_t>(-static_cast<uint64_t>(x)); }}},
      {"graph.abs",
       {[](double x) { return std::fabs(x); },
        [](int64_t x) { return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x; }}},
      {"graph.sqrt", {[](double x) { return std::sqrt(x); }}},
      {"graph.reciprocal", {[](double x) { return 1.0 / x; }}},
      {"graph.exp", {[](double x) { return std::exp(x); }}},
      {"graph.log", {[](double x) { return std::log(x); }}},
      {"graph.sin", {[](double x) { return std::sin(x); }}},
      {"graph.cos", {[](double x) { return std::cos(x); }}},
      {"graph.floor", {[](double x) { return std::floor(x); }}},
      {"graph.ceil", {[](double x) { return std::ceil(x); }}},
      {"graph.not", {nullptr, [](int64_t x) { return ~x; }}},
  };
  return table;
}

/// Products and sums of integers that wrap.
int64_t wrap(uint64_t x) { return static_cast<int64_t>(x); }

const llvm::StringMap<Binary> &binaryTable() {
  static const llvm::StringMap<Binary> table = {
      {"graph.add",
       {[](double x, double y) { return x + y; },
        [](int64_t x, int64_t y) { return wrap(uint64_t(x) + uint64_t(y)); }}},
      {"graph.sub",
       {[](double x, double y) { return x - y; },
        [](int64_t x, int64_t y) { return wrap(uint64_t(x) - uint64_t(y)); }}},
      {"graph.mul",
       {[](double x, double y) { return x * y; },
        [](int64_t x, int64_t y) { return wrap(uint64_t(x) * uint64_t(y)); }}},
      {"graph.div",
       {[](double x, double y) { return x / y; },
        [](int64_t x, int64_t y) { return y == -1 ? wrap(-uint64_t(x)) : x / y; }}},
      {"graph.mod",
       {[](double x, double y) { return std::fmod(x, y); },
        [](int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }}},
      {"graph.pow", {[](double x, double y) { return std::pow(x, y); }}},
      {"graph.max",
       {[](double x, double y) { return std::fmax(x, y); },
        [](int64_t x, int64_t y) { return std::max(x, y); }}},
      {"graph.min",
       {[](double x, double y) { return std::fmin(x, y); },
        [](int64_t x, int64_t y) { return std::min(x, y); }}},
      {"graph.and", {nullptr, [](int64_t x, int64_t y) { return x & y; }}},
      {"graph.or", {nullptr, [](int64_t x, int64_t y) { return x | y; }}},
  };
  return table;
}

/// The tensor of `x`'s shape with `element(i)`; one element when every operand is a splat.
template <typename Fn>
Constant generate(Type elementType, llvm::ArrayRef<int64_t> shape, bool isSplat, Fn element) {
  Constant result{elementType, llvm::to_vector(shape), {}};
  int64_t count = isSplat ? 1 : result.size();
  result.values.reserve(count);
  for (int64_t i = 0; i < count; ++i)
    result.values.push_back(roundTo(elementType, element(i)));
  return result;
}

} // namespace

std::optional<Constant> evaluateUnary(llvm::StringRef op, const Constant &x) {
  auto entry = unaryTable().find(op);
  if (entry == unaryTable().end())
    return std::nullopt;
  const Unary &functions = entry->second;
  if (x.isFloat() ? !functions.onFloats : !functions.onIntegers)
    return std::nullopt;
  return generate(x.elementType, x.shape, x.isSplat(), [&](int64_t i) -> Scalar {
    if (x.isFloat())
      return {.f = functions.onFloats(x[i].f)};
    return {.i = functions.onIntegers(x[i].i)};
  });
}

std::optional<Constant> evaluateBinary(llvm::StringRef op, const Constant &x, const Constant &y) {
  auto entry = binaryTable().find(op);
  if (entry == binaryTable().end())
    return std::nullopt;
  const Binary &functions = entry->second;
  if (x.isFloat() ? !functions.onFloats : !functions.onIntegers)
    return std::nullopt;
  bool divides = op == "graph.div" || op == "graph.mod";
  if (divides && !x.isFloat() && llvm::any_of(y.values, [](Scalar v) { return v.i == 0; }))
    return std::nullopt;
  return generate(x.elementType, x.shape, x.isSplat() && y.isSplat(), [&](int64_t i) -> Scalar {
    if (x.isFloat())
      return {.f = functions.onFloats(x[i].f, y[i].f)};
    return {.i = functions.onIntegers(x[i].i, y[i].i)};
  });
}

Constant evaluateCompare(graph::Direction direction, const Constant &x, const Constant &y) {
  Type boolean = IntegerType::get(x.elementType.getContext(), 1);
  return generate(boolean, x.shape, x.isSplat() && y.isSplat(), [&](int64_t i) -> Scalar {
    return {.i = x.isFloat() ? holds(direction, x[i].f, y[i].f) : holds(direction, x[i].i, y[i].i)};
  });
}

Constant evaluateSelect(const Constant &predicate, const Constant &x, const Constant &y) {
  bool isSplat = predicate.isSplat() && x.isSplat() && y.isSplat();
  return generate(x.elementType, x.shape, isSplat,
                  [&](int64_t i) { return predicate[i].i ? x[i] : y[i]; });
}

Constant evaluateCast(const Constant &x, Type elementType) {
  return generate(elementType, x.shape, x.isSplat(),
                  [&](int64_t i) { return convert(x[i], x.elementType, elementType); });
}

} // namespace pcc::import
