// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose results are known at import: constants, shapes, ranges.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace pcc::import {
namespace {

Constant floats(MLIRContext *context, llvm::ArrayRef<double> values) {
  int64_t count = values.size();
  return {RankedTensorType::get({count}, Float32Type::get(context)),
          values::Tensor::floats(values::ElementType::F32, {count}, values)};
}

/// Imports Constant. Exactly one of the attributes holds the value; strings and sparse tensors are
/// not supported.
LogicalResult importConstant(Node &node) {
  MLIRContext *context = node.emit.context();
  if (auto value = node.tensor("value"))
    return node.setResult(Tensor::of(std::move(*value)));
  if (auto values = node.integers("value_ints"))
    return node.setResult(Tensor::of(Constant::integers(context, *values)));
  if (auto values = node.numbers("value_floats"))
    return node.setResult(Tensor::of(floats(context, *values)));
  if (node.hasAttribute("value_int"))
    return node.setResult(
        Tensor::of(Constant::scalar(IntegerType::get(context, 64), node.integer("value_int", 0))));
  if (node.hasAttribute("value_float"))
    return node.setResult(
        Tensor::of(Constant::scalar(Float32Type::get(context), node.number("value_float", 0.0))));
  if (node.hasAttribute("value") || node.hasAttribute("value_ints") ||
      node.hasAttribute("value_floats"))
    return failure(); // already reported
  return node.emit.error() << "expected one of the attributes 'value', 'value_int', 'value_ints', "
                              "'value_float' and 'value_floats'";
}

LogicalResult importConstantOfShape(Node &node) {
  auto shape = node.knownIntegers(0, "shape");
  if (!shape)
    return failure();
  if (!isAddressable(*shape))
    return node.emit.error() << "sizes " << formatShape(*shape) << " are negative or overflow";
  Constant value = Constant::scalar(Float32Type::get(node.emit.context()), 0.0);
  if (auto given = node.tensor("value"))
    value = std::move(*given);
  if (value.size() != 1)
    return node.emit.error() << "expected attribute 'value' to have one element, got "
                             << value.size();
  return node.setResult(Tensor::of(Constant::splat(value.type.clone(*shape), value.elements)));
}

/// Imports Shape: sizes of dimensions [start, end). Both bounds count from the end if negative, and
/// are clamped.
LogicalResult importShape(Node &node) {
  llvm::ArrayRef<int64_t> shape = node.input(0).shape();
  int64_t rank = shape.size();
  auto clamped = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = clamped(node.integer("start", 0)), end = clamped(node.integer("end", rank));
  llvm::ArrayRef<int64_t> sizes = shape.slice(start, std::max<int64_t>(end - start, 0));
  return node.setResult(Tensor::of(Constant::integers(node.emit.context(), sizes)));
}

LogicalResult importSize(Node &node) {
  Type i64 = IntegerType::get(node.emit.context(), 64);
  return node.setResult(Tensor::of(Constant::scalar(i64, node.input(0).type.getNumElements())));
}

/// Returns the number of elements of start, start + delta, … before limit.
std::optional<int64_t> rangeCount(const Constant &start, const Constant &limit,
                                  const Constant &delta) {
  double count;
  if (start.isFloat()) {
    count = std::ceil((limit[0].f - start[0].f) / delta[0].f);
  } else {
    auto distance = static_cast<double>(limit[0].i) - static_cast<double>(start[0].i);
    count = std::ceil(distance / static_cast<double>(delta[0].i));
  }
  constexpr double most = 0x1p53; // every count below this is exact
  if (!(std::fabs(count) < most))
    return std::nullopt;
  return std::max<int64_t>(static_cast<int64_t>(count), 0);
}

LogicalResult importRange(Node &node) {
  Emitter &emit = node.emit;
  Tensor start = node.input(0), limit = node.input(1), delta = node.input(2);
  node.integer("stash_type", 1); // computed in f32 or wider in any case
  for (const Tensor &bound : {start, limit, delta}) {
    if (!bound.known)
      return emit.error() << "the shape of the result depends on data: expected start, limit and "
                             "delta to be known at import";
    if (bound.known->size() != 1 || bound.elementType() != start.elementType())
      return emit.error() << "expected three scalars of one type, got " << start.type << ", "
                          << limit.type << " and " << delta.type;
  }
  auto count = rangeCount(*start.known, *limit.known, *delta.known);
  if (!count)
    return emit.error() << "expected a finite number of elements and a delta other than zero";
  // Halves are computed in f32, so that their roundings do not add up.
  Type type = start.elementType();
  bool isHalf = type.isF16() || type.isBF16();
  Type wide = isHalf ? Float32Type::get(emit.context()) : type;
  Tensor steps =
      emit.binary<graph::MulOp>(emit.iota(wide, *count), emit.cast(emit.reshape(delta, {}), wide));
  Tensor all = emit.binary<graph::AddOp>(steps, emit.cast(emit.reshape(start, {}), wide));
  return node.setResult(emit.cast(all, type));
}

} // namespace

llvm::ArrayRef<Operator> constantOperators() {
  static const Operator rows[] = {
      {"Constant", 1, 0, 0, NoGradient, importConstant},
      {"ConstantOfShape", 9, 1, 1, NoGradient, importConstantOfShape},
      {"Range", 11, 3, 3, NoGradient, importRange},
      readsNarrow({"Shape", 1, 1, 1, NoGradient, importShape}),
      readsNarrow({"Size", 1, 1, 1, NoGradient, importSize}),
  };
  return rows;
}

} // namespace pcc::import
