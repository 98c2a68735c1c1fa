// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, selection and casts.

#include "compiler/interpret/Compute.h"
#include "compiler/interpret/Map.h"
#include "compiler/interpret/Registry.h"
#include "compiler/interpret/TensorAttr.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

Element convert(Element value, ElementType from, ElementType to) {
  if (to == ElementType::I1)
    return {.i = isFloat(from) ? value.f != 0.0 : value.i != 0};
  if (isFloat(from) == isFloat(to))
    return value;
  if (isFloat(to))
    return {.f = static_cast<double>(value.i)};
  return {.i = truncate(value.f)};
}

/// Returns whether `x direction y` holds; with NaN only `ne` is true.
template <typename T> bool holds(graph::Direction direction, T x, T y) {
  switch (direction) {
  case graph::Direction::EQ:
    return x == y;
  case graph::Direction::NE:
    return x != y;
  case graph::Direction::LT:
    return x < y;
  case graph::Direction::LE:
    return x <= y;
  case graph::Direction::GT:
    return x > y;
  case graph::Direction::GE:
    return x >= y;
  }
  llvm_unreachable("every direction is listed");
}

} // namespace

Tensor computeCompare(graph::Direction direction, const Tensor &x, const Tensor &y) {
  return generate(ElementType::I1, x.getShape(), [&](int64_t n) {
    return Element{.i = x.isFloat() ? holds(direction, x[n].f, y[n].f)
                                    : holds(direction, x[n].i, y[n].i)};
  });
}

Tensor computeSelect(const Tensor &predicate, const Tensor &onTrue, const Tensor &onFalse) {
  return generate(onTrue.getType(), onTrue.getShape(),
                  [&](int64_t n) { return predicate[n].i ? onTrue[n] : onFalse[n]; });
}

Tensor computeCast(const Tensor &x, ElementType to) {
  return generate(to, x.getShape(), [&](int64_t n) { return convert(x[n], x.getType(), to); });
}

void registerLogic(Registry &registry) {
  registry.add<graph::CompareOp>([](graph::CompareOp op, llvm::ArrayRef<Tensor> in) {
    return computeCompare(op.getDirection(), in[0], in[1]);
  });
  registry.add<graph::SelectOp>([](graph::SelectOp, llvm::ArrayRef<Tensor> in) {
    return computeSelect(in[0], in[1], in[2]);
  });
  registry.add<graph::CastOp>([](graph::CastOp op, llvm::ArrayRef<Tensor> in) {
    return computeCast(in[0], *elementTypeOf(op.getType().getElementType()));
  });
}

} // namespace pcc::interpret
