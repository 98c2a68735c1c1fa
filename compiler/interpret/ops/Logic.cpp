// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, booleans and casts.

#include "compiler/interpret/Map.h"
#include "compiler/interpret/Registry.h"
#include "compiler/interpret/TensorAttr.h"
#include "dialects/graph/Direction.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

Tensor compare(graph::CompareOp op, llvm::ArrayRef<Tensor> in) {
  graph::Direction direction = op.getDirection();
  const Tensor &x = in[0], &y = in[1];
  return generate(ElementType::I1, x.getShape(), [&](int64_t n) {
    return Element{.i = x.isFloat() ? holds(direction, x[n].f, y[n].f)
                                    : holds(direction, x[n].i, y[n].i)};
  });
}

Tensor select(graph::SelectOp, llvm::ArrayRef<Tensor> in) {
  return generate(in[1].getType(), in[1].getShape(),
                  [&](int64_t n) { return in[0][n].i ? in[1][n] : in[2][n]; });
}

Element convert(Element value, ElementType from, ElementType to) {
  if (to == ElementType::I1)
    return {.i = isFloat(from) ? value.f != 0.0 : value.i != 0};
  if (isFloat(from) == isFloat(to))
    return value;
  if (isFloat(to))
    return {.f = static_cast<double>(value.i)};
  return {.i = truncate(value.f)};
}

Tensor cast(graph::CastOp op, llvm::ArrayRef<Tensor> in) {
  const Tensor &x = in[0];
  ElementType to = *elementTypeOf(op.getType().getElementType());
  return generate(to, x.getShape(), [&](int64_t n) { return convert(x[n], x.getType(), to); });
}

} // namespace

void registerLogic(Registry &registry) {
  registry.add<graph::AndOp>([](graph::AndOp, llvm::ArrayRef<Tensor> in) {
    return zipIntegers(in[0], in[1], [](int64_t x, int64_t y) { return x & y; });
  });
  registry.add<graph::OrOp>([](graph::OrOp, llvm::ArrayRef<Tensor> in) {
    return zipIntegers(in[0], in[1], [](int64_t x, int64_t y) { return x | y; });
  });
  registry.add<graph::NotOp>([](graph::NotOp, llvm::ArrayRef<Tensor> in) {
    return mapIntegers(in[0], [](int64_t x) { return ~x; });
  });
  registry.add<graph::CompareOp>(compare);
  registry.add<graph::SelectOp>(select);
  registry.add<graph::CastOp>(cast);
}

} // namespace pcc::interpret
