// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators along one axis whose result depends on the order of elements: extrema and cumulative
// sums.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"

using namespace mlir;

namespace pcc::import {
namespace {

RankedTensorType numbersLike(RankedTensorType type, llvm::ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, IntegerType::get(type.getContext(), 64));
}

/// Returns the attribute `axis`, and each of `flags` as a unit attribute.
llvm::SmallVector<NamedAttribute> alongAxis(Emitter &emit, int64_t axis,
                                            llvm::ArrayRef<llvm::StringRef> flags) {
  Builder &b = emit.attributes();
  llvm::SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("axis", b.getI64IntegerAttr(axis))};
  for (llvm::StringRef flag : flags)
    attributes.push_back(b.getNamedAttr(flag, b.getUnitAttr()));
  return attributes;
}

/// Returns the index of the extremum along `axis`, without that dimension.
template <typename Op> Tensor argument(Emitter &emit, const Tensor &x, int64_t axis, bool last) {
  Shape shape(x.shape());
  shape.erase(shape.begin() + axis);
  llvm::SmallVector<llvm::StringRef, 1> flags;
  if (last)
    flags.push_back("last");
  return emit.apply<Op>(numbersLike(x.type, shape), x, alongAxis(emit, axis, flags))[0];
}

template <typename Op> LogicalResult importArgument(Node &node) {
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", 0), x.rank());
  bool keepDims = node.integer("keepdims", 1) != 0;
  bool last = node.integer("select_last_index", 0) != 0;
  if (!axis)
    return failure();
  Tensor result = argument<Op>(node.emit, x, *axis, last);
  if (!keepDims)
    return node.setResult(result);
  Shape shape(x.shape());
  shape[*axis] = 1;
  return node.setResult(node.emit.reshape(result, shape));
}

/// Returns one at the first of the greatest elements along `axis`, and zero elsewhere.
Tensor hardmax(Emitter &emit, const Tensor &x, int64_t axis) {
  Tensor number = argument<graph::ArgmaxOp>(emit, x, axis, /*last=*/false);
  return emit.apply<graph::OneHotOp>(x.type, number, alongAxis(emit, axis, {}))[0];
}

/// Imports Hardmax before opset 13: over all dimensions from `axis` on together.
LogicalResult importFlattenedHardmax(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", 1), x.rank());
  if (!axis)
    return failure();
  Tensor flat = emit.reshape(x, {ShapedType::getNumElements(x.shape().take_front(*axis)),
                                 ShapedType::getNumElements(x.shape().drop_front(*axis))});
  return node.setResult(emit.reshape(hardmax(emit, flat, 1), x.shape()));
}

LogicalResult importHardmax(Node &node) {
  auto axis = node.checkAxis(node.integer("axis", -1), node.input(0).rank());
  return axis ? node.setResult(hardmax(node.emit, node.input(0), *axis)) : failure();
}

/// Returns the first `places` elements in sorted order along `axis`. Unsorted results are returned
/// in this order, too.
LogicalResult topK(Node &node, int64_t places) {
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", -1), x.rank());
  bool largest = node.integer("largest", 1) != 0;
  node.integer("sorted", 1);
  if (!axis)
    return failure();
  if (places < 1 || places > x.shape()[*axis])
    return node.emit.error() << "expected from 1 to " << x.shape()[*axis] << " elements, got "
                             << places;
  Shape shape(x.shape());
  shape[*axis] = places;
  llvm::SmallVector<llvm::StringRef, 1> flags;
  if (!largest)
    flags.push_back("smallest");
  return node.setResults(node.emit.apply<graph::TopKOp>(
      {x.type.clone(shape), numbersLike(x.type, shape)}, x, alongAxis(node.emit, *axis, flags)));
}

LogicalResult importTopKAttribute(Node &node) { return topK(node, node.integer("k", 0)); }

LogicalResult importTopK(Node &node) {
  auto places = node.knownIntegers(1, "number of elements");
  if (places && places->size() == 1)
    return topK(node, places->front());
  return places ? LogicalResult(node.emit.error()
                                << "expected one number of elements, got " << places->size())
                : failure();
}

LogicalResult importCumSum(Node &node) {
  Tensor x = node.input(0);
  auto axes = node.knownIntegers(1, "axis");
  llvm::SmallVector<llvm::StringRef, 2> flags;
  for (llvm::StringRef flag : {"exclusive", "reverse"})
    if (node.integer(flag, 0) != 0)
      flags.push_back(flag);
  if (!axes)
    return failure();
  if (axes->size() != 1)
    return node.emit.error() << "expected one axis, got " << axes->size();
  auto axis = node.checkAxis(axes->front(), x.rank());
  return axis ? node.setResult(node.emit.apply<graph::CumsumOp>(
                    x.type, x, alongAxis(node.emit, *axis, flags))[0])
              : failure();
}

} // namespace

llvm::ArrayRef<Operator> orderOperators() {
  static const Operator rows[] = {
      {"ArgMax", 1, 1, 1, NoGradient, importArgument<graph::ArgmaxOp>},
      {"ArgMin", 1, 1, 1, NoGradient, importArgument<graph::ArgminOp>},
      {"CumSum", 11, 2, 2, FirstInput, importCumSum},
      {"Hardmax", 1, 1, 1, NoGradient, importFlattenedHardmax},
      {"Hardmax", 13, 1, 1, NoGradient, importHardmax},
      {"TopK", 1, 1, 1, FirstInput, importTopKAttribute},
      {"TopK", 10, 2, 2, FirstInput, importTopK},
  };
  return rows;
}

} // namespace pcc::import
