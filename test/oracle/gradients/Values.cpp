// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/gradients/Case.h"

#include "compiler/values/TensorAttr.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace mlir;
using pcc::values::Tensor;

namespace pcc::gradients {

/// Returns the two numbers of `check.range` of an argument.
static std::pair<double, double> rangeOf(func::FuncOp function, unsigned index, double low,
                                         double high) {
  auto range = function.getArgAttrOfType<ArrayAttr>(index, "check.range");
  if (!range)
    return {low, high};
  return {cast<FloatAttr>(range[0]).getValueAsDouble(),
          cast<FloatAttr>(range[1]).getValueAsDouble()};
}

/// Fills a tensor with different values, spread evenly over [low, high] in random order, so that no
/// two elements tie. The offset within an interval differs for each argument, and keeps values off
/// halves and integers, where kinks lie.
static void spreadFloats(Tensor &tensor, double low, double high, double offset,
                         std::mt19937_64 &random) {
  std::vector<int64_t> slots(tensor.size());
  std::iota(slots.begin(), slots.end(), 0);
  std::shuffle(slots.begin(), slots.end(), random);
  double width = (high - low) / double(slots.size());
  for (auto [element, slot] : llvm::zip(tensor.mutableElements(), slots))
    element.f = low + width * (double(slot) + offset);
}

static void drawIntegers(Tensor &tensor, int64_t low, int64_t high, std::mt19937_64 &random) {
  std::uniform_int_distribution<int64_t> draw(low, high - 1);
  for (auto &element : tensor.mutableElements())
    element.i = draw(random);
}

/// Makes the value of an argument; `rank` shifts the values of each rank.
static Tensor makeValue(func::FuncOp function, unsigned index, int64_t rank,
                        std::mt19937_64 &random) {
  if (auto values = function.getArgAttrOfType<ElementsAttr>(index, "check.values"))
    return *values::tensorOf(values);
  Tensor tensor = values::zerosOf(cast<RankedTensorType>(function.getArgument(index).getType()));
  if (tensor.isFloat()) {
    auto [low, high] = rangeOf(function, index, -2, 2);
    spreadFloats(tensor, low, high, 0.37 + 0.05 * index + 0.007 * double(rank), random);
  } else {
    auto [low, high] = rangeOf(function, index, 0, 2);
    drawIntegers(tensor, int64_t(low), int64_t(high), random);
  }
  return tensor;
}

bool isShared(func::FuncOp function, unsigned index) {
  return bool(function.getArgAttr(index, "check.shared"));
}

std::map<std::string, Tensor> makeValues(func::FuncOp function, int64_t rank) {
  std::mt19937_64 random(2026 + rank);
  std::map<std::string, Tensor> values;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    std::mt19937_64 same(index);
    values[std::to_string(index)] = isShared(function, index)
                                        ? makeValue(function, index, 0, same)
                                        : makeValue(function, index, rank, random);
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    Tensor weight = values::zerosOf(cast<RankedTensorType>(type));
    spreadFloats(weight, 0.5, 1.5, 0.41, random);
    values["weight" + std::to_string(index)] = weight;
  }
  return values;
}

} // namespace pcc::gradients
