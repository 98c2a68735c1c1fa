// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that decompose along known sizes: cumulative products, centered cuts, reversed
// sequences, determinants and grids.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Returns the sequence along `axis` moved by `distance`, with ones at its start.
Tensor delay(Emitter &emit, const Tensor &x, int64_t axis, int64_t distance, bool isReversed) {
  int64_t low = isReversed ? -distance : distance;
  return emit.pad(x, axis, low, -low, 1.0);
}

/// Imports CumProd. After step n each element is the product of up to 2^n elements before it, so
/// the number of ops grows with the logarithm of the size.
LogicalResult importCumProd(Node &node) {
  Emitter &emit = node.emit;
  auto axes = node.knownIntegers(1, "axis");
  if (!axes)
    return failure();
  if (axes->size() != 1)
    return emit.error() << "expected one axis, got " << axes->size();
  Tensor x = node.input(0);
  auto axis = node.checkAxis(axes->front(), x.rank());
  bool isExclusive = node.integer("exclusive", 0) != 0;
  bool isReversed = node.integer("reverse", 0) != 0;
  if (!axis)
    return failure();
  if (isExclusive)
    x = delay(emit, x, *axis, 1, isReversed);
  int64_t size = node.input(0).shape()[*axis];
  for (int64_t distance = 1; distance < size && x; distance *= 2)
    x = emit.binary<graph::MulOp>(x, delay(emit, x, *axis, distance, isReversed));
  return node.setResult(x);
}

LogicalResult importCenterCropPad(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto sizes = node.knownIntegers(1, "shape of the result");
  if (!sizes)
    return failure();
  Shape axes = node.integers("axes").value_or(llvm::to_vector(llvm::seq<int64_t>(0, x.rank())));
  if (!node.checkAxes(axes, x.rank()))
    return failure();
  if (sizes->size() != axes.size() || !isAddressable(*sizes))
    return emit.error() << "expected " << axes.size() << " sizes, got " << formatShape(*sizes);
  for (auto [axis, size] : llvm::zip_equal(axes, *sizes)) {
    int64_t dim = *node.checkAxis(axis, node.input(0).rank());
    int64_t missing = size - node.input(0).shape()[dim];
    // A cut window begins, and padding is smaller, at the lower half.
    int64_t low = missing < 0 ? -(-missing / 2) : missing / 2;
    x = emit.pad(x, dim, low, missing - low, 0.0);
  }
  return node.setResult(x);
}

/// Imports ReverseSequence: a gather of rows whose numbers follow from the lengths, which may be
/// computed by the program.
LogicalResult importReverseSequence(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), lengths = node.input(1);
  int64_t time = node.integer("time_axis", 0), batch = node.integer("batch_axis", 1);
  if (x.rank() < 2 || time + batch != 1 || time * batch != 0)
    return emit.error() << "expected time and batch in the first two dimensions, got axes " << time
                        << " and " << batch << " of " << x.type;
  if (lengths.rank() != 1 || lengths.shape()[0] != x.shape()[batch])
    return emit.error() << "expected " << x.shape()[batch] << " lengths, got " << lengths.type;
  Shape places = {x.shape()[0], x.shape()[1]}, column = {1, 1};
  column[batch] = places[batch];
  lengths = emit.reshape(emit.cast(lengths, emit.attributes().getI64Type()), column);
  Tensor step = emit.positionAlong(places, time);
  Tensor one = emit.scalarLike(step, 1.0);
  Tensor last = emit.binary<graph::SubOp>(lengths, one);
  Tensor isInside = emit.compare(graph::Direction::LE, step, last);
  Tensor source = emit.select(isInside, emit.binary<graph::SubOp>(last, step), step);
  Tensor rowSize = emit.scalarLike(step, static_cast<double>(places[1]));
  Tensor sample = emit.positionAlong(places, batch);
  Tensor row = time == 0 ? source : sample, within = time == 0 ? sample : source;
  Tensor index = emit.binary<graph::AddOp>(emit.binary<graph::MulOp>(row, rowSize), within);
  Shape merged = {places[0] * places[1]};
  llvm::append_range(merged, x.shape().drop_front(2));
  return node.setResult(emit.gather(emit.reshape(x, merged), index, 0));
}

/// Returns the element (row, column) of each matrix.
Tensor element(Emitter &emit, const Tensor &x, int64_t row, int64_t column) {
  Tensor cell = emit.slice(emit.slice(x, x.rank() - 2, row, 1, 1), x.rank() - 1, column, 1, 1);
  return cell ? emit.reshape(cell, x.shape().drop_back(2)) : Tensor();
}

/// Returns the determinant of the rows from `row` on and of `columns`, by its first row.
Tensor minor(Emitter &emit, const Tensor &x, int64_t row, llvm::ArrayRef<int64_t> columns) {
  Tensor sum;
  for (auto [index, column] : llvm::enumerate(columns)) {
    Tensor term = element(emit, x, row, column);
    if (columns.size() > 1) {
      Shape others(columns);
      others.erase(others.begin() + index);
      term = emit.binary<graph::MulOp>(term, minor(emit, x, row + 1, others));
    }
    if (index == 0)
      sum = term;
    else
      sum = index % 2 ? emit.binary<graph::SubOp>(sum, term) : emit.binary<graph::AddOp>(sum, term);
  }
  return sum;
}

LogicalResult importDet(Node &node) {
  constexpr int64_t most = 5; // minors grow with the factorial
  Tensor x = node.input(0);
  if (x.rank() < 2 || x.shape().back() != x.shape()[x.rank() - 2] || x.shape().back() > most)
    return node.emit.error() << "expected square matrices of at most " << most << " rows, got "
                             << x.type;
  auto columns = llvm::to_vector(llvm::seq<int64_t>(0, x.shape().back()));
  return node.setResult(minor(node.emit, x, 0, columns));
}

/// Returns `size` places from -1 to 1: of the outer elements, or of the outer edges.
Tensor gridPlaces(Emitter &emit, int64_t size, bool alignsCorners) {
  llvm::SmallVector<double> places;
  for (int64_t n : llvm::seq(size)) {
    auto index = static_cast<double>(n), count = static_cast<double>(size);
    double between = size == 1 ? 0.0 : 2 * index / (count - 1) - 1;
    places.push_back(alignsCorners ? between : (2 * index + 1) / count - 1);
  }
  auto type = RankedTensorType::get({size}, Float64Type::get(emit.context()));
  return Tensor::of(
      Constant::of(type, values::Tensor::floats(values::ElementType::F64, {size}, places)));
}

/// Imports AffineGrid: the matmul of the places of a grid, with a one, and each sample's matrix.
LogicalResult importAffineGrid(Node &node) {
  Emitter &emit = node.emit;
  Tensor theta = node.input(0);
  auto size = node.knownIntegers(1, "size of the grid");
  bool alignsCorners = node.integer("align_corners", 0) != 0;
  if (!size)
    return failure();
  int64_t dims = static_cast<int64_t>(size->size()) - 2;
  Shape matrices = {size->empty() ? 0 : size->front(), dims, dims + 1};
  if (dims < 1 || theta.shape() != llvm::ArrayRef<int64_t>(matrices) || !isAddressable(*size) ||
      llvm::is_contained(*size, 0))
    return emit.error() << "expected a matrix for each sample of " << formatShape(*size) << ", got "
                        << theta.type;
  if (!llvm::all_of(*size, [&](int64_t places) { return emit.allowsTable({places}); }))
    return failure();
  Shape spatial(size->begin() + 2, size->end()), cell(spatial);
  cell.push_back(1);
  llvm::SmallVector<Tensor> columns;
  for (int64_t dim = dims - 1; dim >= 0; --dim) {
    Shape shape(dims + 1, 1);
    shape[dim] = spatial[dim];
    Tensor places = gridPlaces(emit, spatial[dim], alignsCorners);
    columns.push_back(emit.broadcast(emit.reshape(places, shape), cell));
  }
  columns.push_back(emit.broadcast(emit.scalarLike(columns.front(), 1.0), cell));
  Tensor base = emit.cast(emit.concat(columns, dims), theta.elementType());
  int64_t count = ShapedType::getNumElements(spatial);
  Tensor grid = emit.matmul(emit.reshape(base, {1, count, dims + 1}), theta, false,
                            /*transposeY=*/true);
  Shape result = {size->front()};
  result.append(spatial);
  result.push_back(dims);
  return node.setResult(emit.reshape(grid, result));
}

} // namespace

llvm::ArrayRef<Operator> layoutOperators() {
  static const Operator rows[] = {
      {"AffineGrid", 20, 2, 2, FirstInput, importAffineGrid},
      {"CenterCropPad", 18, 2, 2, FirstInput, importCenterCropPad},
      {"CumProd", 26, 2, 2, FirstInput, importCumProd},
      {"Det", 11, 1, 1, FirstInput, importDet},
      {"ReverseSequence", 10, 2, 2, FirstInput, importReverseSequence},
  };
  return rows;
}

} // namespace pcc::import
