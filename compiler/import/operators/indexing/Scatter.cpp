// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison of rows with indices is not materialized: select and reduction are one kernel. Its
// work is the product of their numbers, so it is limited.
#include "compiler/import/operators/indexing/Scatter.h"

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/TorchOperators.h"
#include "compiler/values/TensorAttr.h"
#include "passes/analysis/batch/BatchDependence.h"
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

/// Most pairs of an element and an update that are compared.
constexpr int64_t maxPairs = int64_t(1) << 26;

/// Returns the number that does not change the others.
Tensor neutral(Emitter &emit, Type type, Reduction reduction) {
  if (reduction == Reduction::Mul)
    return emit.scalar(type, 1.0);
  bool isLeast = reduction == Reduction::Max;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(type))
    return emit.scalar(type, isLeast ? -infinity : infinity);
  values::ElementType element = *values::elementTypeOf(type);
  return Tensor::of(
      Constant::scalar(type, isLeast ? values::minOf(element) : values::maxOf(element)));
}

Tensor combine(Emitter &emit, const Tensor &x, const Tensor &y, Reduction reduction) {
  if (reduction == Reduction::Mul)
    return emit.binary<graph::MulOp>(x, y);
  return reduction == Reduction::Min ? emit.binary<graph::MinOp>(x, y)
                                     : emit.binary<graph::MaxOp>(x, y);
}

} // namespace

std::optional<Reduction> readReduction(Node &node) {
  if (isMeanOfScatter(node)) {
    node.emit.error() << "expected a reduction that ONNX has, got torch's 'mean', for which the "
                         "exporter writes 'none'; divide a sum by the count instead";
    return std::nullopt;
  }
  constexpr std::pair<llvm::StringLiteral, Reduction> known[] = {{"none", Reduction::None},
                                                                 {"add", Reduction::Add},
                                                                 {"mul", Reduction::Mul},
                                                                 {"min", Reduction::Min},
                                                                 {"max", Reduction::Max}};
  std::string name = node.text("reduction", "none");
  for (auto [text, reduction] : known)
    if (text == name)
      return reduction;
  node.emit.error() << "expected attribute 'reduction' to be none, add, mul, min or max, got '"
                    << name << "'";
  return std::nullopt;
}

llvm::SmallVector<NamedAttribute> rowAttributes(Emitter &emit, int64_t blocks) {
  Builder &b = emit.attributes();
  llvm::SmallVector<NamedAttribute> attributes = {b.getNamedAttr("axis", b.getI64IntegerAttr(0))};
  if (blocks > 1)
    attributes.push_back(b.getNamedAttr(analysis::ownBlocksAttrName, b.getI64IntegerAttr(blocks)));
  return attributes;
}

Tensor gatherRows(Emitter &emit, const Tensor &x, const Tensor &rows, int64_t blocks) {
  if (!x || !rows || x.isEmpty() || rows.known || rows.isEmpty())
    return emit.gather(x, rows, 0);
  Shape shape(rows.shape());
  llvm::append_range(shape, x.shape().drop_front());
  return emit.apply<graph::GatherOp>(x.type.clone(shape), {x, rows},
                                     rowAttributes(emit, blocks))[0];
}

Tensor scatterRows(Emitter &emit, const Tensor &x, const Tensor &indices, const Tensor &updates,
                   bool adds, int64_t blocks) {
  if (!x || !indices || !updates)
    return {};
  llvm::SmallVector<NamedAttribute> attributes = rowAttributes(emit, blocks);
  auto add = [&](const Tensor &base, const Tensor &terms) {
    return emit.apply<graph::ScatterAddOp>(base.type, {base, indices, terms}, attributes)[0];
  };
  if (adds)
    return add(x, updates);
  auto constant = [&](const Tensor &like, double value) {
    return emit.broadcast(emit.scalarLike(like, value), like.shape());
  };
  Tensor count = add(constant(x, 0.0), constant(updates, 1.0));
  Tensor isHit = count ? emit.compare(graph::Direction::NE, count, constant(x, 0.0)) : Tensor();
  return isHit ? emit.select(isHit, add(constant(x, 0.0), updates), x) : Tensor();
}

Tensor reduceIntoRows(Emitter &emit, const Tensor &x, const Tensor &indices, const Tensor &updates,
                      Reduction reduction) {
  if (!x || !indices || !updates)
    return {};
  int64_t rows = x.shape()[0], width = x.shape()[1], count = updates.shape()[0];
  if (count == 0)
    return x;
  if (rows > maxPairs / count || rows * count > maxPairs / width) {
    emit.error() << "a reduction other than 'add' compares each element with each update: expected "
                    "at most "
                 << maxPairs << " pairs, got " << x.type << " and " << updates.type;
    return {};
  }
  Tensor wanted = emit.reshape(indices, {1, count, indices.shape()[1]});
  Tensor row = emit.reshape(emit.iota(emit.attributes().getI64Type(), rows), {rows, 1, 1});
  Tensor isOwn = emit.compare(graph::Direction::EQ, wanted, row);
  Tensor own = emit.select(isOwn, emit.reshape(updates, {1, count, width}),
                           neutral(emit, x.elementType(), reduction));
  auto kind = reduction == Reduction::Mul   ? graph::ReduceOpKind::Prod
              : reduction == Reduction::Min ? graph::ReduceOpKind::Min
                                            : graph::ReduceOpKind::Max;
  return combine(emit, x, emit.reduce(kind, own, {1}), reduction);
}

} // namespace pcc::import
