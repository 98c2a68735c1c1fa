// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that compare positions: one-hot vectors, triangles, unit matrices.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Returns the type of position numbers, i64.
Type numberType(Emitter &emit) { return emit.attributes().getI64Type(); }

/// Returns the index along `axis` in a tensor of `shape`: a constant, or an op that needs no
/// memory.
Tensor positionAlong(Emitter &emit, llvm::ArrayRef<int64_t> shape, int64_t axis, bool isKnown) {
  if (isKnown)
    return emit.positionAlong(shape, axis);
  Builder &b = emit.attributes();
  return emit.apply<graph::IotaOp>(RankedTensorType::get(shape, numberType(emit)), {},
                                   b.getNamedAttr("axis", b.getI64IntegerAttr(axis)))[0];
}

/// Reads the size of the new dimension, a known number of any type.
std::optional<int64_t> readDepth(Node &node) {
  Tensor depth = node.input(1);
  auto number = depth.known ? depth.known->asNumber() : std::nullopt;
  constexpr double most = 0x1p48;
  if (number && *number >= 1 && *number <= most)
    return static_cast<int64_t>(*number);
  node.emit.error() << "the shape of the result depends on data: expected the depth to be a number "
                       "of at least 1 known at import";
  return std::nullopt;
}

/// Returns whether the off and on values are the zero and one of graph.one_hot.
bool isZeroAndOne(const Tensor &values) {
  return values.known && isGraphElement(values.elementType()) &&
         !values.elementType().isInteger(1) && !values.known->isSplat() &&
         values.known->elements.asDouble(0) == 0.0 && values.known->elements.asDouble(1) == 1.0;
}

/// Imports OneHot: `on` if the position along the new axis equals the index, else `off`. Negative
/// indices count from the end. An index outside the depth matches no position.
LogicalResult importOneHot(Node &node) {
  Emitter &emit = node.emit;
  Tensor indices = emit.cast(node.input(0), numberType(emit)), values = node.input(2);
  auto depth = readDepth(node);
  auto axis = node.checkAxis(node.integer("axis", -1), node.input(0).rank() + 1);
  if (!indices || !depth || !axis)
    return failure();
  if (values.type.getNumElements() != 2 || values.rank() != 1)
    return emit.error() << "expected two values, off and on, got " << values.type;
  indices = emit.wrapNegative(indices, *depth);
  Shape column(indices.shape()), shape(indices.shape());
  shape.insert(shape.begin() + *axis, *depth);
  if (isZeroAndOne(values)) {
    Builder &b = emit.attributes();
    return node.setResult(emit.apply<graph::OneHotOp>(
        values.type.clone(shape), indices, b.getNamedAttr("axis", b.getI64IntegerAttr(*axis)))[0]);
  }
  column.insert(column.begin() + *axis, 1);
  Tensor place = positionAlong(emit, shape, *axis, indices.known != nullptr);
  Tensor isHot = emit.compare(graph::Direction::EQ, emit.reshape(indices, column), place);
  Tensor off = emit.reshape(emit.slice(values, 0, 0, 1, 1), {});
  Tensor on = emit.reshape(emit.slice(values, 0, 1, 1, 1), {});
  return node.setResult(emit.select(isHot, on, off));
}

/// Imports Trilu: keeps the elements on diagonal k (column - row = k) and on one side of it.
LogicalResult importTrilu(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), diagonal = node.input(1);
  bool upper = node.integer("upper", 1) != 0;
  if (x.rank() < 2)
    return emit.error() << "expected a tensor of at least two dimensions, got " << x.type;
  bool isKnown = x.known && (!diagonal || diagonal.known);
  llvm::ArrayRef<int64_t> matrix = x.shape().take_back(2);
  Tensor row = positionAlong(emit, matrix, 0, isKnown),
         column = positionAlong(emit, matrix, 1, isKnown);
  if (diagonal)
    row = emit.binary<graph::AddOp>(row, emit.reshape(diagonal, {}));
  graph::Direction side = upper ? graph::Direction::GE : graph::Direction::LE;
  Tensor isKept = emit.compare(side, column, row);
  return node.setResult(emit.select(isKept, x, emit.scalarLike(x, 0.0)));
}

/// Imports EyeLike: a matrix of the input's shape with ones on diagonal `k`.
LogicalResult importEyeLike(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto number = static_cast<int32_t>(node.integer("dtype", 0));
  Type type = number ? elementTypeOf(number, *emit.context()) : x.elementType();
  auto k = static_cast<double>(node.integer("k", 0));
  if (!type)
    return emit.error() << "elements of ONNX type number " << number << " are not supported";
  if (x.rank() != 2)
    return emit.error() << "expected a matrix, got " << x.type;
  Tensor row = emit.positionAlong(x.shape(), 0), column = emit.positionAlong(x.shape(), 1);
  Tensor shifted = emit.binary<graph::AddOp>(row, emit.scalarLike(row, k));
  Tensor isOn = emit.compare(graph::Direction::EQ, column, shifted);
  return node.setResult(emit.cast(isOn, type));
}

} // namespace

llvm::ArrayRef<Operator> maskOperators() {
  static const Operator rows[] = {
      {"EyeLike", 9, 1, 1, NoGradient, importEyeLike},
      {"OneHot", 9, 3, 3, NoGradient, importOneHot},
      {"Trilu", 14, 1, 2, FirstInput, importTrilu},
  };
  return rows;
}

} // namespace pcc::import
