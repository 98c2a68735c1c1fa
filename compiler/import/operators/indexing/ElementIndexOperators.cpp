// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that select single elements by indices. They import as ops on rows of a tensor whose
// indexed dimensions are merged into one.
//
//   GatherElements  y[i, j] = x[index[i, j], j]       row index[i, j] * columns + j of x as a list
//   GatherND        y[i]    = x[index[i, 0], index[i, 1]]
//
// Such rows lie anywhere in x, so the program cannot be split along i. An attribute says where row
// i of the indices stays in row i of x, so that microbatches can be cut. If the other positions are
// those of the result, and few elements are selected along one dimension, the result is a sum over
// that dimension instead, which can be split:
//
//   GatherElements  y[i, 0] = x[i, index[i, 0]]   sum over j of (j == index[i, 0] ? x[i, j] : 0)
//   GatherND        y[i]    = x[i, index[i]]      the same; `x[arange(n), index]` in torch

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/indexing/Scatter.h"
#include "dialects/graph/Constants.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Maximum number of elements that a sum over a dimension selects from each of its rows.
constexpr int64_t maxSelected = 8;

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

/// Inserts `count` dimensions of size 1 at `dim`.
Tensor insertOnes(Emitter &emit, const Tensor &x, int64_t dim, int64_t count) {
  Shape shape(x.shape());
  shape.insert(shape.begin() + dim, count, 1);
  return emit.reshape(x, shape);
}

/// Returns whether a sum over a dimension selects elements of `x` by `indices`, `count` for each
/// row. Known indices stay a gather, which reads nothing else.
bool isSelectedBySum(const Tensor &x, const Tensor &indices, int64_t count) {
  return !indices.known && count <= maxSelected && !x.elementType().isInteger(1);
}

/// Returns x[…, indices[…, q, …], …], with the selected elements along `axis` and `count`
/// dimensions q of `indices` in its place. All other dimensions of both are equal, or 1 in
/// `indices`.
Tensor selectBySum(Emitter &emit, const Tensor &x, const Tensor &indices, int64_t axis,
                   int64_t count) {
  int64_t size = x.shape()[axis], dim = axis + count;
  Tensor wide = insertOnes(emit, x, axis, count);
  Tensor wanted = insertOnes(emit, wrapped(emit, indices, size), dim, 1);
  Shape along(wide.rank(), 1);
  along[dim] = size;
  Tensor positions = emit.reshape(emit.iota(emit.attributes().getI64Type(), size), along);
  Tensor isWanted = emit.compare(graph::Direction::EQ, wanted, positions);
  return emit.reduce(graph::ReduceOpKind::Sum, emit.select(isWanted, wide, emit.scalarLike(x, 0.0)),
                     {dim});
}

/// Returns the number of rows of `x` if row i of `indices` is for row i of `x`, otherwise 1.
int64_t countOwnRows(const Tensor &x, const Tensor &indices, bool arePaired) {
  return arePaired && x.shape()[0] == indices.shape()[0] ? x.shape()[0] : 1;
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
  if (x.rank() > 1 && isSelectedBySum(x, indices, indices.shape()[*axis])) {
    for (int64_t dim = 0; dim < x.rank(); ++dim)
      if (dim != *axis)
        x = emit.slice(x, dim, 0, 1, indices.shape()[dim]);
    return node.setResult(selectBySum(emit, x, indices, *axis, 1));
  }
  Tensor rows = rowsOfElements(node, x, indices, *axis);
  return node.setResult(
      gatherRows(emit, mergeFirst(emit, x, x.rank()), rows, countOwnRows(x, indices, *axis > 0)));
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

/// Returns whether `value` holds at each place its position along dimension `dim`.
bool isPositions(Value value, int64_t dim) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  auto numbers = constant ? graph::readElements(constant.getValue()) : std::nullopt;
  if (!numbers)
    return false;
  llvm::ArrayRef<int64_t> shape = constant.getType().getShape();
  int64_t inner = ShapedType::getNumElements(shape.drop_front(dim + 1));
  for (auto [at, number] : llvm::enumerate(*numbers))
    if (number != static_cast<double>(static_cast<int64_t>(at) / inner % shape[dim]))
      return false;
  return true;
}

/// Takes the leading positions that count the elements of their own dimension out of `indices`, and
/// returns their number. torch writes x[arange(n), index] with them.
int64_t takeOwnPositions(Node &node, const Tensor &x, Tensor &indices) {
  auto joined = indices.value ? indices.value.getDefiningOp<graph::ConcatOp>() : graph::ConcatOp();
  int64_t last = indices.rank() - 1, count = 0;
  if (!joined || static_cast<int64_t>(joined.getAxis()) != last)
    return 0;
  llvm::SmallVector<Tensor> rest;
  for (Value piece : joined.getInputs()) {
    Tensor column = Tensor::of(piece);
    bool isOwn = rest.empty() && column.shape().back() == 1 && count < last &&
                 x.shape()[count] == column.shape()[count] && isPositions(piece, count);
    if (isOwn)
      ++count;
    else
      rest.push_back(column);
  }
  if (rest.empty())
    return 0;
  indices = node.emit.concat(rest, last);
  return count;
}

/// Imports places of which all positions but one are those of the result; null if they are not, or
/// if a sum would read too much.
Tensor selectPlaces(Node &node, const Tensor &x, const Tensor &indices, int64_t batch) {
  Emitter &emit = node.emit;
  if (batch == 0 || indices.shape().back() != 1)
    return {};
  Shape shape(indices.shape().drop_back());
  int64_t count = static_cast<int64_t>(shape.size()) - batch;
  if (!isSelectedBySum(x, indices,
                       ShapedType::getNumElements(llvm::ArrayRef(shape).drop_front(batch))))
    return {};
  Tensor wanted = emit.reshape(indices, shape);
  return selectBySum(emit, x, insertOnes(emit, wanted, wanted.rank(), x.rank() - batch - 1), batch,
                     count);
}

LogicalResult importGatherND(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), indices = node.input(1);
  int64_t batch = node.integer("batch_dims", 0);
  if (!checkPositions(node, x, indices, batch))
    return failure();
  if (batch == 0)
    batch = takeOwnPositions(node, x, indices);
  if (Tensor selected = selectPlaces(node, x, indices, batch))
    return node.setResult(selected);
  Tensor rows = rowsOfPositions(emit, x, indices, batch);
  return node.setResult(gatherRows(emit, mergeFirst(emit, x, batch + indices.shape().back()), rows,
                                   countOwnRows(x, indices, batch > 0)));
}

/// Combines `updates` with the elements of `x` that `indices` give along `axis`. Where indices have
/// fewer elements along other dimensions, only the first elements of `x` change.
Tensor reduceElements(Emitter &emit, const Tensor &x, const Tensor &indices, const Tensor &updates,
                      int64_t axis, Reduction reduction) {
  Shape order = {axis}, back(x.rank(), 0), changed(indices.shape());
  for (int64_t dim : llvm::seq(x.rank()))
    if (dim != axis)
      order.push_back(dim);
  for (auto [place, dim] : llvm::enumerate(order))
    back[dim] = static_cast<int64_t>(place);
  changed[axis] = x.shape()[axis];
  Tensor part = x;
  for (int64_t dim : llvm::seq(x.rank()))
    part = emit.slice(part, dim, 0, 1, changed[dim]);
  auto asRows = [&](const Tensor &tensor) {
    Tensor moved = emit.transpose(tensor, order);
    int64_t rows = moved ? moved.shape()[0] : 0;
    return emit.reshape(moved, {rows, rows ? moved.type.getNumElements() / rows : 0});
  };
  Tensor result =
      reduceIntoRows(emit, asRows(part), asRows(wrapped(emit, indices, x.shape()[axis])),
                     asRows(updates), reduction);
  Shape moved;
  for (int64_t dim : order)
    moved.push_back(changed[dim]);
  result = emit.transpose(emit.reshape(result, moved), back);
  // Put the elements that cannot change around those that may, from the last dimension on.
  for (int64_t dim = x.rank() - 1; result && dim >= 0; --dim) {
    int64_t rest = x.shape()[dim] - changed[dim];
    if (rest == 0)
      continue;
    Tensor behind = emit.slice(x, dim, changed[dim], 1, rest);
    for (int64_t outer : llvm::seq(dim))
      behind = emit.slice(behind, outer, 0, 1, changed[outer]);
    result = emit.concat({result, behind}, dim);
  }
  return result;
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
  auto reduction = readReduction(node);
  if (!reduction)
    return failure();
  if (*reduction != Reduction::None && *reduction != Reduction::Add)
    return node.setResult(reduceElements(emit, x, indices, updates, *axis, *reduction));
  Tensor rows = rowsOfElements(node, x, indices, *axis);
  Tensor result = scatterRows(emit, mergeFirst(emit, x, x.rank()), mergeFirst(emit, rows, x.rank()),
                              mergeFirst(emit, updates, x.rank()), *reduction == Reduction::Add,
                              countOwnRows(x, indices, *axis > 0));
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
  auto reduction = readReduction(node);
  int64_t own = takeOwnPositions(node, x, indices);
  Tensor rows = rowsOfPositions(emit, x, indices, own);
  if (!reduction || !rows)
    return failure();
  Tensor base = mergeFirst(emit, x, indexed), list = mergeFirst(emit, rows, rows.rank());
  Tensor values = mergeFirst(emit, updates, rows.rank());
  if (*reduction == Reduction::None || *reduction == Reduction::Add) {
    Tensor result = scatterRows(emit, base, list, values, *reduction == Reduction::Add,
                                countOwnRows(x, indices, own > 0));
    return node.setResult(emit.reshape(result, x.shape()));
  }
  auto asRows = [&](const Tensor &tensor) {
    int64_t count = tensor.shape()[0];
    return emit.reshape(tensor, {count, count ? tensor.type.getNumElements() / count : 0});
  };
  Tensor result = reduceIntoRows(emit, asRows(base), asRows(list), asRows(values), *reduction);
  return node.setResult(emit.reshape(result, x.shape()));
}

/// Returns the cache with the rows of `update` at the places `first`, `first` + 1, … along `axis`,
/// which are compared with the positions of the cache.
Tensor writeRows(Emitter &emit, const Tensor &cache, const Tensor &update, const Tensor &first,
                 int64_t axis, bool isCircular) {
  int64_t size = cache.shape()[axis];
  Tensor result = cache, position = emit.positionAlong(cache.shape(), axis);
  for (auto [step, row] :
       llvm::enumerate(emit.split(update, axis, Shape(update.shape()[axis], 1)))) {
    Tensor place = emit.binary<graph::AddOp>(first, emit.scalarLike(first, double(step)));
    if (isCircular)
      place = emit.binary<graph::ModOp>(place, emit.scalarLike(first, double(size)));
    result = emit.select(emit.compare(graph::Direction::EQ, place, position), row, result);
    if (!result)
      return {};
  }
  return result;
}

/// Same for many rows: a gather of the rows of `update` that belong to each place.
Tensor gatherNewRows(Emitter &emit, const Tensor &cache, const Tensor &update, const Tensor &first,
                     int64_t axis, bool isCircular) {
  int64_t batch = cache.shape()[0], size = cache.shape()[axis], count = update.shape()[axis];
  Shape order = {0, axis}, back(cache.rank(), 0);
  for (int64_t dim = 1; dim < cache.rank(); ++dim)
    if (dim != axis)
      order.push_back(dim);
  for (auto [place, dim] : llvm::enumerate(order))
    back[dim] = static_cast<int64_t>(place);
  Tensor position = emit.iota(emit.attributes().getI64Type(), size);
  Tensor step = emit.binary<graph::SubOp>(position, emit.reshape(first, {first.shape()[0], 1}));
  if (isCircular) // places wrap around at most once after the remainder
    step = emit.wrapNegative(emit.binary<graph::ModOp>(step, emit.scalarLike(step, double(size))),
                             size);
  Tensor bound = emit.scalarLike(position, double(count)), zero = emit.scalarLike(position, 0.0);
  Tensor isNew = emit.binary<graph::AndOp>(emit.compare(graph::Direction::LT, step, bound),
                                           emit.compare(graph::Direction::GE, step, zero));
  Tensor sample = emit.reshape(emit.iota(emit.attributes().getI64Type(), batch), {batch, 1});
  Tensor row = emit.binary<graph::AddOp>(emit.binary<graph::MulOp>(sample, bound),
                                         emit.select(isNew, step, zero));
  Tensor all = emit.gather(mergeFirst(emit, emit.transpose(update, order), 2), row, 0);
  Tensor moved = emit.transpose(all, back);
  if (!moved || !isNew)
    return {};
  Shape columns(cache.rank(), 1);
  columns[0] = isNew.shape()[0], columns[axis] = size;
  return emit.select(emit.reshape(isNew, columns), moved, cache);
}

/// Imports TensorScatter: writes rows of each sample behind those that its cache has.
LogicalResult importTensorScatter(Node &node) {
  Emitter &emit = node.emit;
  Tensor cache = node.input(0), update = node.input(1), first = node.input(2);
  std::string mode = node.text("mode", "linear");
  auto axis = node.checkAxis(node.integer("axis", -2), cache.rank());
  if (!axis)
    return failure();
  if (mode != "linear" && mode != "circular")
    return emit.error() << "expected attribute 'mode' to be linear or circular, got '" << mode
                        << "'";
  Shape expected(cache.shape());
  if (update.rank() == cache.rank() && update.shape()[*axis] <= expected[*axis])
    expected[*axis] = update.shape()[*axis];
  bool fits = *axis > 0 && update.shape() == llvm::ArrayRef<int64_t>(expected) &&
              update.elementType() == cache.elementType() &&
              (!first || first.shape() == cache.shape().take_front(1));
  if (!fits)
    return emit.error() << "expected an axis behind the first one, an update within the shape of "
                           "the cache along it, and one index for each sample, got axis "
                        << *axis << ", " << cache.type << " and " << update.type;
  if (update.isEmpty())
    return node.setResult(cache);
  Type i64 = emit.attributes().getI64Type();
  first = first ? emit.cast(first, i64) : emit.broadcast(emit.scalar(i64, 0.0), {1});
  if (update.shape()[*axis] > maxSelected)
    return node.setResult(gatherNewRows(emit, cache, update, first, *axis, mode == "circular"));
  Shape column(cache.rank(), 1);
  column[0] = first.shape()[0];
  return node.setResult(
      writeRows(emit, cache, update, emit.reshape(first, column), *axis, mode == "circular"));
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
      {"TensorScatter", 24, 2, 3, static_cast<Gradients>(FirstInput | SecondInput),
       importTensorScatter},
  };
  return rows;
}

} // namespace pcc::import
