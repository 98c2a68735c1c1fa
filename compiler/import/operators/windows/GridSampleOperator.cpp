// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GridSample. The grid has a sampling coordinate in the image for each output position. The output
// is a weighted sum of the coordinate's neighbors: two or four along each dimension, or the nearest
// one. Each combination of neighbors is one gather, with a row for each sample and output position.
//
// Gradients reach both inputs: the image through the gathered rows, and the grid through the
// weights of the neighbors. The nearest neighbor has the constant weight 1, so the grid then gets
// none.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/indexing/Scatter.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

enum class Padding { Zeros, Border, Reflection };

/// One neighbor along a dimension: its index and weight for each output position.
struct Neighbor {
  Tensor index;  ///< i64, [samples, positions]
  Tensor weight; ///< accumulatorOf(image), [samples, positions]
};

class GridSampler {
public:
  explicit GridSampler(Node &node) : node(node), emit(node.emit) {}
  LogicalResult run();

private:
  bool readAttributes();
  bool readShapes();
  Tensor add(const Tensor &x, double y) {
    return emit.binary<graph::AddOp>(x, emit.scalarLike(x, y));
  }
  Tensor scale(const Tensor &x, double y) {
    return emit.binary<graph::MulOp>(x, emit.scalarLike(x, y));
  }
  Tensor clamp(const Tensor &x, double low, double high) {
    return x ? emit.map<graph::ClampOp>(x, llvm::APFloat(low), llvm::APFloat(high)) : x;
  }
  Tensor reflect(const Tensor &x, int64_t size);
  Tensor pad(const Tensor &x, int64_t size);
  Tensor coordinate(int64_t dim);
  Tensor cubicWeight(const Tensor &distance, bool isNear);
  llvm::SmallVector<Neighbor> neighbors(int64_t dim);
  Neighbor neighbor(const Tensor &coordinate, const Tensor &weight, int64_t size);
  Tensor sumRows(const Tensor &rows, int64_t dim, Tensor index, Tensor weight);

  Node &node;
  Emitter &emit;
  std::string mode;
  Padding padding = Padding::Zeros;
  bool alignsCorners = false;
  Shape image, positions;         ///< spatial sizes of the image and of the result
  int64_t samples = 0, count = 0; ///< `count`: output positions of each sample
  llvm::SmallVector<llvm::SmallVector<Neighbor>> all; ///< of each dimension
};

bool GridSampler::readAttributes() {
  mode = node.text("mode", "linear");
  alignsCorners = node.integer("align_corners", 0) != 0;
  std::string name = node.text("padding_mode", "zeros");
  if (mode == "bilinear" || mode == "bicubic")
    mode = mode.substr(2); // the names before opset 20
  if (mode != "nearest" && mode != "linear" && mode != "cubic") {
    emit.error() << "expected attribute 'mode' to be linear, nearest or cubic, got '" << mode
                 << "'";
    return false;
  }
  if (name != "zeros" && name != "border" && name != "reflection") {
    emit.error() << "expected attribute 'padding_mode' to be zeros, border or reflection, got '"
                 << name << "'";
    return false;
  }
  padding = name == "zeros"    ? Padding::Zeros
            : name == "border" ? Padding::Border
                               : Padding::Reflection;
  return true;
}

bool GridSampler::readShapes() {
  Tensor x = node.input(0), grid = node.input(1);
  bool areFloats = isa<FloatType>(x.elementType()) && isa<FloatType>(grid.elementType());
  if (!areFloats || x.rank() < 3 || grid.rank() != x.rank() ||
      grid.shape().back() != x.rank() - 2 || grid.shape()[0] != x.shape()[0]) {
    emit.error() << "expected images [N, C, d1..dr] and a grid [N, o1..or, r] of floats, got "
                 << x.type << " and " << grid.type;
    return false;
  }
  samples = x.shape()[0];
  image.assign(x.shape().begin() + 2, x.shape().end());
  positions.assign(grid.shape().begin() + 1, grid.shape().end() - 1);
  count = ShapedType::getNumElements(positions);
  return true;
}

/// Reflects coordinates at the borders of a dimension until they are inside.
Tensor GridSampler::reflect(const Tensor &x, int64_t size) {
  double low = alignsCorners ? 0.0 : -0.5, range = double(size) - (alignsCorners ? 1.0 : 0.0);
  if (range == 0.0)
    return scale(x, 0.0);
  Tensor distance = emit.unary<graph::AbsOp>(add(x, -low));
  Tensor rest = emit.binary<graph::ModOp>(distance, emit.scalarLike(distance, 2 * range));
  Tensor isBack = emit.compare(graph::Direction::GT, rest, emit.scalarLike(rest, range));
  return add(emit.select(isBack, add(scale(rest, -1.0), 2 * range), rest), low);
}

/// Moves coordinates into the image as the padding mode says. With zeros, coordinates are only
/// limited to 4 pixels outside so that they convert to i64; neighbors outside get the weight 0.
Tensor GridSampler::pad(const Tensor &x, int64_t size) {
  auto last = static_cast<double>(size - 1);
  if (padding == Padding::Border)
    return clamp(x, 0.0, last);
  return padding == Padding::Reflection ? reflect(x, size) : clamp(x, -4.0, last + 4.0);
}

/// Returns the sampling coordinates along one dimension in pixels, [samples, positions]. The grid
/// has the last dimension first, and numbers from -1 to 1.
Tensor GridSampler::coordinate(int64_t dim) {
  Tensor grid = emit.cast(node.input(1), graph::accumulatorOf(node.input(0).elementType()));
  int64_t rank = grid.rank(), last = static_cast<int64_t>(image.size()) - 1;
  Tensor part = emit.reshape(emit.slice(grid, rank - 1, last - dim, 1, 1), {samples, count});
  auto size = static_cast<double>(image[dim]);
  Tensor pixels = alignsCorners ? scale(add(part, 1.0), (size - 1) / 2)
                                : add(scale(add(part, 1.0), size / 2), -0.5);
  if (mode == "nearest")
    pixels = emit.unary<graph::RoundOp>(pixels);
  Tensor moved = pad(pixels, image[dim]);
  if (mode != "cubic" || padding != Padding::Border || alignsCorners)
    return moved;
  // ONNX moves only coordinates outside [-0.5, size - 0.5], the area of the pixels. In its outer
  // half pixels, cubic interpolation uses neighbors that are moved one by one.
  Tensor isInside = emit.compare(graph::Direction::EQ, clamp(pixels, -0.5, size - 0.5), pixels);
  return emit.select(isInside, pixels, moved);
}

/// Returns the weight of a neighbor at a distance in [0, 1] or, if not near, in [1, 2].
Tensor GridSampler::cubicWeight(const Tensor &distance, bool isNear) {
  constexpr double a = -0.75;
  Tensor square = emit.binary<graph::MulOp>(distance, distance);
  if (isNear)
    return add(emit.binary<graph::MulOp>(add(scale(distance, a + 2), -(a + 3)), square), 1.0);
  Tensor inner = add(emit.binary<graph::MulOp>(add(scale(distance, a), -5 * a), distance), 8 * a);
  return add(emit.binary<graph::MulOp>(inner, distance), -4 * a);
}

/// Returns the neighbor at an integral coordinate, which may be outside the image.
Neighbor GridSampler::neighbor(const Tensor &coordinate, const Tensor &weight, int64_t size) {
  Tensor own = weight, moved = pad(coordinate, size);
  auto last = static_cast<double>(size - 1);
  if (padding == Padding::Zeros) {
    Tensor inside = emit.compare(graph::Direction::EQ, clamp(moved, 0.0, last), moved);
    own = emit.select(inside, weight, emit.scalarLike(weight, 0.0));
  }
  Tensor index = emit.cast(clamp(moved, 0.0, last), emit.attributes().getI64Type());
  return {index, own};
}

llvm::SmallVector<Neighbor> GridSampler::neighbors(int64_t dim) {
  Tensor x = coordinate(dim);
  if (!x)
    return {};
  if (mode == "nearest")
    return {neighbor(x, emit.broadcast(emit.scalarLike(x, 1.0), x.shape()), image[dim])};
  Tensor base = emit.unary<graph::FloorOp>(x), part = emit.binary<graph::SubOp>(x, base);
  Tensor rest = add(scale(part, -1.0), 1.0);
  if (mode == "linear")
    return {neighbor(base, rest, image[dim]), neighbor(add(base, 1.0), part, image[dim])};
  return {neighbor(add(base, -1.0), cubicWeight(add(part, 1.0), false), image[dim]),
          neighbor(base, cubicWeight(part, true), image[dim]),
          neighbor(add(base, 1.0), cubicWeight(rest, true), image[dim]),
          neighbor(add(base, 2.0), cubicWeight(add(rest, 1.0), false), image[dim])};
}

/// Sums the weighted rows of all combinations of neighbors from dimension `dim` on. `index` counts
/// within the image of a sample.
Tensor GridSampler::sumRows(const Tensor &rows, int64_t dim, Tensor index, Tensor weight) {
  if (dim == static_cast<int64_t>(all.size())) {
    Tensor first =
        scale(emit.positionAlong(index.shape(), 0), double(ShapedType::getNumElements(image)));
    Tensor row = emit.binary<graph::AddOp>(index, first);
    Tensor taken = emit.cast(gatherRows(emit, rows, row, samples), weight.elementType());
    return emit.binary<graph::MulOp>(taken, emit.reshape(weight, {samples, count, 1}));
  }
  Tensor sum;
  for (const Neighbor &next : all[dim]) {
    Tensor within = next.index;
    if (index)
      within = emit.binary<graph::AddOp>(scale(index, double(image[dim])), within);
    Tensor product = weight ? emit.binary<graph::MulOp>(weight, next.weight) : next.weight;
    Tensor term = product ? sumRows(rows, dim + 1, within, product) : Tensor();
    if (!term)
      return {};
    sum = sum ? emit.binary<graph::AddOp>(sum, term) : term;
  }
  return sum;
}

LogicalResult GridSampler::run() {
  if (!readAttributes() || !readShapes())
    return failure();
  uint64_t ofEachDim = mode == "nearest" ? 1 : mode == "linear" ? 2 : 4, ofAll = 1;
  for (size_t dim = 0; dim < image.size(); ++dim)
    ofAll = std::min(ofAll * ofEachDim, uint64_t(1) << 60); // more are refused in any case
  if (!emit.allowsParts({static_cast<int64_t>(ofAll)}, "neighbors of an output position"))
    return failure();
  Tensor x = node.input(0);
  int64_t channels = x.shape()[1], elements = ShapedType::getNumElements(image);
  for (int64_t dim : llvm::seq(static_cast<int64_t>(image.size())))
    all.push_back(neighbors(dim));
  Tensor rows = emit.transpose(emit.reshape(x, {samples, channels, elements}), {0, 2, 1});
  rows = emit.reshape(rows, {samples * elements, channels});
  Tensor sum = sumRows(rows, 0, {}, {});
  Tensor result = emit.cast(emit.transpose(sum, {0, 2, 1}), x.elementType());
  Shape shape = {samples, channels};
  shape.append(positions);
  return node.setResult(emit.reshape(result, shape));
}

LogicalResult importGridSample(Node &node) { return GridSampler(node).run(); }

} // namespace

llvm::ArrayRef<Operator> gridSampleOperators() {
  constexpr auto both = static_cast<Gradients>(FirstInput | SecondInput);
  static const Operator rows[] = {
      {"GridSample", 16, 2, 2, both, importGridSample},
  };
  return rows;
}

} // namespace pcc::import
