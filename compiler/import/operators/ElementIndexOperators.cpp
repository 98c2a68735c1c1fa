// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that select single elements by indices. They import as ops on rows of a tensor whose
// indexed dimensions are merged into one.
//
//   GatherElements  y[i, j] = x[index[i, j], j]       row index[i, j] * columns + j of x as a list
//   GatherND        y[i]    = x[index[i, 0], index[i, 1]]

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

Tensor scaled(Emitter &emit, const Tensor &x, int64_t factor) {
  return factor == 1
             ? x
             : emit.binary<graph::MulOp>(x, emit.scalarLike(x, static_cast<double>(factor)));
}

/// Converts indices of a dimension of `size` to i64; negative indices count from the end.
Tensor wrapped(Emitter &emit, const Tensor &indices, int64_t size) {
  return emit.wrapNegative(emit.cast(indices, emit.attributes().getI64Type()), size);
}

/// Returns the number of elements in one step along `axis`, within dimensions up to `end`.
int64_t strideOf(llvm::ArrayRef<int64_t> shape, int64_t axis, int64_t end) {
  return ShapedType::getNumElements(shape.slice(axis + 1, end - axis - 1));
}

/// Returns row numbers for indices that give the position of each element along one dimension,
/// `axis`.
Tensor rowsOfElements(Node &node, const Tensor &x, const Tensor &indices, int64_t axis) {
  Emitter &emit = node.emit;
  Tensor rows =
      scaled(emit, wrapped(emit, indices, x.shape()[axis]), strideOf(x.shape(), axis, x.rank()));
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    if (dim != axis)
      rows = emit.binary<graph::AddOp>(rows, scaled(emit, emit.positionAlong(indices.shape(), dim),
                                                    strideOf(x.shape(), dim, x.rank())));
  return rows;
}

/// Returns row numbers for indices whose last dimension holds positions in the dimensions of `x`
/// from `batch` on. Both tensors share the first `batch` dimensions.
Tensor rowsOfPositions(Emitter &emit, const Tensor &x, const Tensor &indices, int64_t batch) {
  int64_t last = indices.rank() - 1, end = batch + indices.shape().back();
  Shape shape(indices.shape().drop_back());
  Tensor rows;
  for (int64_t dim = 0; dim < end; ++dim) {
    Tensor place =
        dim < batch
            ? emit.positionAlong(shape, dim)
            : wrapped(emit, emit.reshape(emit.slice(indices, last, dim - batch, 1, 1), shape),
                      x.shape()[dim]);
    Tensor part = scaled(emit, place, strideOf(x.shape(), dim, end));
    rows = dim == 0 ? part : emit.binary<graph::AddOp>(rows, part);
  }
  return rows;
}

/// Merges the first `count` dimensions of `x` into one.
Tensor mergeFirst(Emitter &emit, const Tensor &x, int64_t count) {
  Shape shape = {ShapedType::getNumElements(x.shape().take_front(count))};
  llvm::append_range(shape, x.shape().drop_front(count));
  return emit.reshape(x, shape);
}

std::optional<int64_t> readElementAxis(Node &node) {
  Tensor x = node.input(0), indices = node.input(1);
  auto axis = node.checkAxis(node.integer("axis", 0), x.rank());
  bool fits = indices.rank() == x.rank();
  for (int64_t dim = 0; fits && dim < x.rank(); ++dim)
    fits = !axis || dim == *axis || indices.shape()[dim] <= x.shape()[dim];
  if (fits)
    return axis;
  node.emit.error() << "expected indices within the shape of " << x.type << ", got "
                    << indices.type;
  return std::nullopt;
}

LogicalResult importGatherElements(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), indices = node.input(1);
  auto axis = readElementAxis(node);
  if (!axis)
    return failure();
  Tensor rows = rowsOfElements(node, x, indices, *axis);
  return node.setResult(emit.gather(mergeFirst(emit, x, x.rank()), rows, 0));
}

/// Checks that the last dimension of `indices` holds positions in `x`, after `batch` equal
/// dimensions.
bool checkPositions(Node &node, const Tensor &x, const Tensor &indices, int64_t batch) {
  bool fits = indices.rank() > batch && batch >= 0 && x.rank() > batch &&
              x.shape().take_front(batch) == indices.shape().take_front(batch) &&
              indices.shape().back() >= 1 && indices.shape().back() <= x.rank() - batch;
  if (!fits)
    node.emit.error() << "expected places in " << x.type << " behind " << batch
                      << " equal dimensions, got " << indices.type;
  return fits;
}

LogicalResult importGatherND(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), indices = node.input(1);
  int64_t batch = node.integer("batch_dims", 0);
  if (!checkPositions(node, x, indices, batch))
    return failure();
  Tensor rows = rowsOfPositions(emit, x, indices, batch);
  return node.setResult(emit.gather(mergeFirst(emit, x, batch + indices.shape().back()), rows, 0));
}

/// Scatters `updates` to `rows` of `x`: adds them, or replaces the elements.
Tensor scatter(Node &node, const Tensor &x, const Tensor &rows, const Tensor &updates) {
  Emitter &emit = node.emit;
  std::string reduction = node.text("reduction", "none");
  if (reduction != "none" && reduction != "add") {
    emit.error() << "expected attribute 'reduction' to be 'none' or 'add', got '" << reduction
                 << "'";
    return {};
  }
  Builder &b = emit.attributes();
  NamedAttribute axis = b.getNamedAttr("axis", b.getI64IntegerAttr(0));
  auto add = [&](const Tensor &base, const Tensor &terms) {
    return emit.apply<graph::ScatterAddOp>(base.type, {base, rows, terms}, axis)[0];
  };
  if (reduction == "add")
    return add(x, updates);
  auto constant = [&](const Tensor &like, double value) {
    return emit.broadcast(emit.scalarLike(like, value), like.shape());
  };
  Tensor count = add(constant(x, 0.0), constant(updates, 1.0));
  Tensor isHit = count ? emit.compare(graph::Direction::NE, count, constant(x, 0.0)) : Tensor();
  return isHit ? emit.select(isHit, add(constant(x, 0.0), updates), x) : Tensor();
}

LogicalResult importScatterElements(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), indices = node.input(1), updates = node.input(2);
  auto axis = readElementAxis(node);
  if (!axis)
    return failure();
  if (updates.shape() != indices.shape() || updates.elementType() != x.elementType())
    return emit.error() << "expected an update of the input's type for each index, got "
                        << updates.type;
  Tensor rows = rowsOfElements(node, x, indices, *axis);
  Tensor result = scatter(node, mergeFirst(emit, x, x.rank()), mergeFirst(emit, rows, x.rank()),
                          mergeFirst(emit, updates, x.rank()));
  return node.setResult(emit.reshape(result, x.shape()));
}

LogicalResult importScatterND(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), indices = node.input(1), updates = node.input(2);
  if (!checkPositions(node, x, indices, 0))
    return failure();
  int64_t indexed = indices.shape().back();
  Shape expected(indices.shape().drop_back());
  llvm::append_range(expected, x.shape().drop_front(indexed));
  if (updates.shape() != llvm::ArrayRef<int64_t>(expected) ||
      updates.elementType() != x.elementType())
    return emit.error() << "expected updates " << x.type.clone(expected) << ", got "
                        << updates.type;
  Tensor rows = rowsOfPositions(emit, x, indices, 0);
  Tensor result = scatter(node, mergeFirst(emit, x, indexed), mergeFirst(emit, rows, rows.rank()),
                          mergeFirst(emit, updates, rows.rank()));
  return node.setResult(emit.reshape(result, x.shape()));
}

} // namespace

llvm::ArrayRef<Operator> elementIndexOperators() {
  constexpr auto sources = static_cast<Gradients>(FirstInput | ThirdInput);
  static const Operator rows[] = {
      {"GatherElements", 11, 2, 2, FirstInput, importGatherElements},
      {"GatherND", 11, 2, 2, FirstInput, importGatherND},
      {"Scatter", 9, 3, 3, sources, importScatterElements},
      {"ScatterElements", 11, 3, 3, sources, importScatterElements},
      {"ScatterND", 11, 3, 3, sources, importScatterND},
  };
  return rows;
}

} // namespace pcc::import
