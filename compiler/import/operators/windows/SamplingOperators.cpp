// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeformConv and RoiAlign, which read images at places between elements. Each place is a weighted
// sum of two neighbors along each dimension. As in GridSample, all places are rows of one gather
// for each combination of neighbors, so gradients reach the images and the places.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/windows/Windows.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

using Direction = graph::Direction;

/// The two neighbors of places along a dimension: indices (i64), and weights (floats).
struct Interval {
  Tensor indices[2], weights[2];
  int64_t size; ///< of the dimension
};

Tensor limit(Emitter &emit, const Tensor &x, double low, double high) {
  if (!x)
    return {};
  Tensor raised = emit.binary<graph::MaxOp>(x, emit.scalarLike(x, low));
  return emit.binary<graph::MinOp>(raised, emit.scalarLike(x, high));
}

/// Returns the neighbors of `places`, which lie within one element around the image. Neighbors
/// outside the image have weight 0.
Interval neighborsOf(Emitter &emit, const Tensor &places, int64_t size) {
  Interval result{{}, {}, size};
  if (!places)
    return result;
  auto last = static_cast<double>(size - 1);
  Tensor base = emit.unary<graph::FloorOp>(places);
  Tensor share = emit.binary<graph::SubOp>(places, base);
  for (int side : {0, 1}) {
    Tensor index = emit.plus(base, side);
    Tensor weight = side == 1 ? share : emit.plus(emit.times(share, -1.0), 1.0);
    Tensor inside = limit(emit, index, 0.0, last);
    if (!inside || !weight)
      return result;
    result.weights[side] = emit.select(emit.compare(Direction::EQ, inside, index), weight,
                                       emit.scalarLike(weight, 0.0));
    result.indices[side] = emit.cast(inside, emit.attributes().getI64Type());
  }
  return result;
}

/// Returns `index` + the neighbor `side` of each interval, as row numbers of an image.
Tensor rowOf(Emitter &emit, Tensor index, llvm::ArrayRef<Interval> intervals, unsigned sides) {
  for (auto [dim, interval] : llvm::enumerate(intervals)) {
    index = emit.times(index, static_cast<double>(interval.size));
    index = emit.binary<graph::AddOp>(index, interval.indices[sides >> dim & 1]);
  }
  return index;
}

/// Returns for each combination of neighbors the rows of `images`, [samples * places, channels],
/// times their weights. `sample` has the number of the image for each place.
llvm::SmallVector<Tensor> readNeighbors(Emitter &emit, const Tensor &images, const Tensor &sample,
                                        llvm::ArrayRef<Interval> intervals) {
  if (!emit.allowsParts(Shape(intervals.size(), 2), "neighbors of a place"))
    return {};
  llvm::SmallVector<Tensor> terms;
  for (unsigned sides : llvm::seq(1u << intervals.size())) {
    Tensor index = rowOf(emit, sample, intervals, sides), weight;
    for (auto [dim, interval] : llvm::enumerate(intervals)) {
      const Tensor &own = interval.weights[sides >> dim & 1];
      weight = dim == 0 ? own : emit.binary<graph::MulOp>(weight, own);
    }
    if (!index || !weight)
      return {};
    Shape column(weight.shape());
    column.push_back(1);
    Tensor rows = emit.cast(emit.gather(images, index, 0), weight.elementType());
    terms.push_back(emit.binary<graph::MulOp>(rows, emit.reshape(weight, column)));
  }
  return terms;
}

/// Returns the combination of all terms; null if there is none, after an error.
template <typename Op> Tensor combine(Emitter &emit, llvm::ArrayRef<Tensor> terms) {
  if (terms.empty())
    return {};
  Tensor result = terms.front();
  for (const Tensor &term : llvm::drop_begin(terms))
    result = emit.binary<Op>(result, term);
  return result;
}

/// Imports a DeformConv node: reads the elements under the kernel at each place, and multiplies
/// them with the weight.
class DeformConv {
public:
  explicit DeformConv(Node &node) : node(node), emit(node.emit) {}
  LogicalResult run();

private:
  bool readShapes();
  bool checkInputs();
  Tensor coordinate(const Tensor &offsets, int64_t dim);
  Tensor readColumns();
  Tensor multiply(const Tensor &columns);

  Node &node;
  Emitter &emit;
  Shape kernel, image, places; ///< spatial sizes
  ImageWindow window;
  int64_t samples = 0, channels = 0, outputs = 0, groups = 1, offsetGroups = 1;
  int64_t taps = 0, count = 0; ///< elements of the kernel, and places
};

bool DeformConv::readShapes() {
  Tensor x = node.input(0), weight = node.input(1), offset = node.input(2);
  if (failed(checkSpatial(node, x)))
    return false;
  if (weight.rank() != x.rank() || offset.rank() != x.rank() || !isa<FloatType>(x.elementType())) {
    emit.error() << "expected images of floats, weights and offsets of one rank, got " << x.type
                 << ", " << weight.type << " and " << offset.type;
    return false;
  }
  kernel.assign(weight.shape().begin() + 2, weight.shape().end());
  image.assign(x.shape().begin() + 2, x.shape().end());
  places.assign(offset.shape().begin() + 2, offset.shape().end());
  samples = x.shape()[0], channels = x.shape()[1], outputs = weight.shape()[0];
  groups = node.integer("group", 1);
  offsetGroups = node.integer("offset_group", 1);
  Shape table(kernel);
  llvm::append_range(table, places);
  if (!emit.allowsTable(table))
    return false;
  taps = ShapedType::getNumElements(kernel), count = ShapedType::getNumElements(places);
  if (auto given = node.integers("kernel_shape").value_or(kernel); given != kernel) {
    emit.error() << "expected 'kernel_shape' to be that of the weight, got " << formatShape(given)
                 << " and " << weight.type;
    return false;
  }
  WindowReader reader(node, x, kernel);
  if (!reader.readLists())
    return false;
  window = reader.window;
  return checkInputs();
}

bool DeformConv::checkInputs() {
  Tensor x = node.input(0), weight = node.input(1), offset = node.input(2);
  if (groups < 1 || offsetGroups < 1 || weight.shape()[1] * groups != channels ||
      outputs % groups != 0 || channels % offsetGroups != 0) {
    emit.error() << "expected channels in " << groups << " groups and in " << offsetGroups
                 << " groups of offsets, got " << x.type << " and " << weight.type;
    return false;
  }
  auto dims = static_cast<int64_t>(kernel.size());
  Shape moved = {samples, offsetGroups * taps * dims}, masks = {samples, offsetGroups * taps};
  for (int64_t dim : llvm::seq(dims)) {
    moved.push_back(window.get().getResultSize(dim, image[dim]));
    masks.push_back(moved.back());
  }
  Tensor mask = node.input(4), bias = node.input(3);
  if (offset.shape() != llvm::ArrayRef<int64_t>(moved) || count == 0 ||
      (mask && mask.shape() != llvm::ArrayRef<int64_t>(masks))) {
    auto error = emit.error() << "expected offsets of shape " << formatShape(moved)
                              << " and a mask of shape " << formatShape(masks) << ", got "
                              << offset.type;
    if (mask)
      error << " and " << mask.type;
    return false;
  }
  if (bias && bias.shape() != llvm::ArrayRef<int64_t>({outputs})) {
    emit.error() << "expected a bias of " << outputs << " numbers, got " << bias.type;
    return false;
  }
  return true;
}

/// Returns the places along one dimension in elements, [samples, groups, taps, places]. `offsets`
/// has the shape [samples, groups, taps, dimensions, places].
Tensor DeformConv::coordinate(const Tensor &offsets, int64_t dim) {
  llvm::SmallVector<int64_t> starts;
  int64_t inner = ShapedType::getNumElements(llvm::ArrayRef(kernel).drop_front(dim + 1));
  int64_t innerPlaces = ShapedType::getNumElements(llvm::ArrayRef(places).drop_front(dim + 1));
  for (int64_t tap : llvm::seq(taps))
    for (int64_t place : llvm::seq(count))
      starts.push_back(tap / inner % kernel[dim] * window.dilations[dim] +
                       place / innerPlaces % places[dim] * window.strides[dim] -
                       window.padding[dim]);
  Tensor start =
      emit.reshape(Tensor::of(Constant::integers(emit.context(), starts)), {taps, count});
  Tensor moved =
      emit.reshape(emit.slice(offsets, 3, dim, 1, 1), {samples, offsetGroups, taps, count});
  Tensor place = emit.binary<graph::AddOp>(moved, emit.cast(start, offsets.elementType()));
  return limit(emit, place, -1.0, static_cast<double>(image[dim]));
}

/// Returns the elements under the kernel at each place, [samples, places, channels * taps].
Tensor DeformConv::readColumns() {
  Tensor x = node.input(0), mask = node.input(4);
  Type wide = graph::accumulatorOf(x.elementType());
  auto dims = static_cast<int64_t>(kernel.size());
  int64_t elements = ShapedType::getNumElements(image), each = channels / offsetGroups;
  Tensor offsets =
      emit.reshape(emit.cast(node.input(2), wide), {samples, offsetGroups, taps, dims, count});
  Tensor images = emit.reshape(x, {samples, offsetGroups, each, elements});
  images =
      emit.reshape(emit.transpose(images, {0, 1, 3, 2}), {samples * offsetGroups * elements, each});
  if (!offsets || !images)
    return {};
  llvm::SmallVector<Interval> intervals;
  for (int64_t dim : llvm::seq(dims))
    intervals.push_back(neighborsOf(emit, coordinate(offsets, dim), image[dim]));
  Tensor sample = emit.reshape(emit.iota(emit.attributes().getI64Type(), samples * offsetGroups),
                               {samples, offsetGroups, 1, 1});
  auto terms = readNeighbors(emit, images, sample, intervals);
  Tensor columns = combine<graph::AddOp>(emit, terms);
  if (mask && columns)
    columns = emit.binary<graph::MulOp>(
        columns, emit.reshape(emit.cast(mask, wide), {samples, offsetGroups, taps, count, 1}));
  columns = emit.transpose(columns, {0, 3, 1, 4, 2});
  return emit.reshape(columns, {samples, count, channels * taps});
}

/// Multiplies the columns with the weight: one matmul, or one for each group.
Tensor DeformConv::multiply(const Tensor &columns) {
  if (!columns)
    return {};
  Tensor weight = emit.cast(node.input(1), columns.elementType());
  int64_t each = channels / groups * taps;
  if (groups == 1) {
    Tensor matrix = emit.reshape(weight, {outputs, each});
    return emit.transpose(emit.matmul(columns, matrix, false, /*transposeY=*/true), {0, 2, 1});
  }
  Tensor parts =
      emit.transpose(emit.reshape(columns, {samples, count, groups, each}), {0, 2, 3, 1});
  return emit.matmul(emit.reshape(weight, {groups, outputs / groups, each}), parts);
}

LogicalResult DeformConv::run() {
  if (!readShapes())
    return failure();
  Tensor x = node.input(0), bias = node.input(3);
  Shape shape = {samples, outputs};
  shape.append(places);
  Tensor result = emit.reshape(multiply(readColumns()), shape);
  if (bias && result) {
    Shape column(result.rank() - 1, 1);
    column[0] = outputs;
    result = emit.binary<graph::AddOp>(result,
                                       emit.reshape(emit.cast(bias, result.elementType()), column));
  }
  return node.setResult(emit.cast(result, x.elementType()));
}

LogicalResult importDeformConv(Node &node) { return DeformConv(node).run(); }

/// Imports a RoiAlign node. Each region is a grid of bins, and each bin a grid of samples.
class RoiAlign {
public:
  RoiAlign(Node &node, llvm::StringRef mode) : node(node), emit(node.emit), transform(mode) {}
  LogicalResult run();

private:
  /// Bins of a region along one dimension.
  struct Bins {
    int64_t count = 0;  ///< of bins
    int64_t most = 0;   ///< greatest number of samples in a bin
    Tensor samples;     ///< number of samples in a bin of each region, [regions, 1, 1]
    Interval neighbors; ///< of the samples, [regions, bins * samples]
  };
  bool readAttributes();
  bool checkInputs();
  bool readBins(int64_t dim, Bins &bins);
  bool countSamples(const Tensor &extent, Bins &bins);
  Tensor isSample(const Bins &bins);
  Tensor reduceSamples(const Tensor &values);

  Node &node;
  Emitter &emit;
  std::string transform;
  bool isMax = false;
  int64_t regions = 0, ratio = 0;
  double scale = 1.0;
  Bins bins[2]; ///< rows and columns
};

bool RoiAlign::readAttributes() {
  std::string mode = node.text("mode", "avg");
  transform = node.text("coordinate_transformation_mode", transform);
  isMax = mode == "max";
  scale = node.number("spatial_scale", 1.0);
  ratio = node.integer("sampling_ratio", 0);
  bins[0].count = node.integer("output_height", 1);
  bins[1].count = node.integer("output_width", 1);
  if (!isMax && mode != "avg") {
    emit.error() << "expected attribute 'mode' to be avg or max, got '" << mode << "'";
    return false;
  }
  if (transform != "half_pixel" && transform != "output_half_pixel") {
    emit.error() << "expected attribute 'coordinate_transformation_mode' to be half_pixel or "
                    "output_half_pixel, got '"
                 << transform << "'";
    return false;
  }
  if (ratio < 0 || bins[0].count < 1 || bins[1].count < 1) {
    emit.error() << "expected a result with elements and 'sampling_ratio' of at least 0, got "
                 << bins[0].count << " x " << bins[1].count << " and " << ratio;
    return false;
  }
  return true;
}

bool RoiAlign::checkInputs() {
  Tensor x = node.input(0), rois = node.input(1), numbers = node.input(2);
  bool fits = x.rank() == 4 && rois.rank() == 2 && rois.shape()[1] == 4 && numbers.rank() == 1 &&
              numbers.shape()[0] == rois.shape()[0] && isa<FloatType>(x.elementType()) &&
              isa<FloatType>(rois.elementType()) && rois.shape()[0] > 0;
  if (!fits)
    emit.error() << "expected images, regions of 4 numbers, and the number of an image for each, "
                    "got "
                 << x.type << ", " << rois.type << " and " << numbers.type;
  regions = fits ? rois.shape()[0] : 0;
  return fits;
}

/// Sets the number of samples along one dimension: that of the attribute, or one for each element
/// that a bin covers.
bool RoiAlign::countSamples(const Tensor &extent, Bins &bins) {
  if (ratio > 0) {
    bins.most = ratio;
    bins.samples = emit.scalar(extent.elementType(), double(ratio));
    return true;
  }
  Tensor counts = emit.unary<graph::CeilOp>(emit.times(extent, 1.0 / double(bins.count)));
  if (!counts || !counts.known) {
    emit.error() << "the number of samples depends on data: expected 'sampling_ratio' of at least "
                    "1, or regions that are known at import";
    return false;
  }
  constexpr double maxSamples = 1 << 10;
  double most = 1.0;
  for (int64_t region : llvm::seq(regions))
    most = std::max(most, (*counts.known)[region].f);
  if (most > maxSamples) {
    emit.error() << "expected at most " << int64_t(maxSamples) << " samples in a bin, got " << most;
    return false;
  }
  bins.most = static_cast<int64_t>(most);
  bins.samples = counts;
  return true;
}

/// Reads the bins of dimension `dim`, 0 for rows. The samples of a region are evenly spaced; those
/// more than one element outside the image are 0, others outside are moved to its edge.
bool RoiAlign::readBins(int64_t dim, Bins &bins) {
  Tensor x = node.input(0), rois = node.input(1);
  Type wide = graph::accumulatorOf(x.elementType());
  bool isShifted = transform == "half_pixel";
  auto corner = [&](int64_t column) {
    Tensor part = emit.reshape(emit.slice(rois, 1, column, 1, 1), {regions, 1, 1});
    return emit.plus(emit.times(emit.cast(part, wide), scale), isShifted ? -0.5 : 0.0);
  };
  Tensor start = corner(1 - dim), end = corner(3 - dim);
  Tensor extent = emit.binary<graph::SubOp>(end, start);
  if (extent && !isShifted)
    extent = emit.binary<graph::MaxOp>(extent, emit.scalarLike(extent, 1.0));
  if (!extent || !countSamples(extent, bins))
    return false;
  Tensor bin = emit.reshape(emit.cast(emit.iota(emit.attributes().getI64Type(), bins.count), wide),
                            {bins.count, 1});
  Tensor sample = emit.cast(emit.iota(emit.attributes().getI64Type(), bins.most), wide);
  Tensor share = emit.binary<graph::DivOp>(
      emit.plus(sample, 0.5), emit.binary<graph::MaxOp>(bins.samples, emit.scalar(wide, 1.0)));
  Tensor width = emit.times(extent, 1.0 / double(bins.count));
  Tensor place = emit.binary<graph::AddOp>(
      start, emit.binary<graph::MulOp>(width, emit.binary<graph::AddOp>(bin, share)));
  place = emit.reshape(place, {regions, bins.count * bins.most});
  int64_t size = x.shape()[dim + 2];
  if (!place)
    return false;
  Tensor isNear = emit.compare(Direction::EQ, limit(emit, place, -1.0, double(size)), place);
  bins.neighbors = neighborsOf(emit, limit(emit, place, 0.0, double(size - 1)), size);
  for (Tensor &weight : bins.neighbors.weights)
    weight = weight ? emit.select(isNear, weight, emit.scalarLike(weight, 0.0)) : weight;
  return bins.neighbors.weights[0] && bins.neighbors.weights[1];
}

/// Returns whether a place of the grid of samples is one of the region's own, of rank 3 for
/// regions, bins and samples.
Tensor RoiAlign::isSample(const Bins &bins) {
  Tensor number =
      emit.cast(emit.iota(emit.attributes().getI64Type(), bins.most), bins.samples.elementType());
  return emit.compare(Direction::LT, number, bins.samples);
}

/// Reduces [regions, rows * samples, columns * samples, channels] to bins.
Tensor RoiAlign::reduceSamples(const Tensor &values) {
  int64_t channels = node.input(0).shape()[1];
  Tensor apart = emit.reshape(
      values, {regions, bins[0].count, bins[0].most, bins[1].count, bins[1].most, channels});
  if (!apart)
    return {};
  auto kind = isMax ? graph::ReduceOpKind::Max : graph::ReduceOpKind::Sum;
  Tensor count = emit.binary<graph::MulOp>(bins[0].samples, bins[1].samples);
  if (count && count.rank() == 3)
    count = emit.reshape(count, {regions, 1, 1, 1});
  if (ratio == 0) { // samples that belong to greater regions only do not count
    Tensor rows = emit.reshape(isSample(bins[0]), {regions, 1, bins[0].most, 1, 1, 1});
    Tensor columns = emit.reshape(isSample(bins[1]), {regions, 1, 1, 1, bins[1].most, 1});
    double neutral = isMax ? -std::numeric_limits<double>::infinity() : 0.0;
    apart = emit.select(emit.binary<graph::AndOp>(rows, columns), apart,
                        emit.scalarLike(apart, neutral));
  }
  Tensor reduced = emit.reduce(kind, apart, {2, 4});
  if (!reduced || !count)
    return {};
  Tensor one = emit.scalarLike(reduced, 1.0);
  if (!isMax)
    return emit.binary<graph::DivOp>(reduced, emit.binary<graph::MaxOp>(count, one));
  return emit.select(emit.compare(Direction::GE, count, one), reduced,
                     emit.scalarLike(reduced, 0.0));
}

LogicalResult RoiAlign::run() {
  if (!readAttributes() || !checkInputs() || !readBins(0, bins[0]) || !readBins(1, bins[1]))
    return failure();
  Tensor x = node.input(0);
  Shape shape(x.shape());
  Tensor images =
      emit.reshape(emit.transpose(x, {0, 2, 3, 1}), {shape[0] * shape[2] * shape[3], shape[1]});
  auto column = [&](Tensor &part, bool isRow) {
    Shape grid = {regions, part.shape()[1], 1};
    if (!isRow)
      std::swap(grid[1], grid[2]);
    part = emit.reshape(part, grid);
  };
  for (int64_t dim : {0, 1})
    for (int side : {0, 1}) {
      column(bins[dim].neighbors.indices[side], dim == 0);
      column(bins[dim].neighbors.weights[side], dim == 0);
    }
  Tensor sample =
      emit.reshape(emit.cast(node.input(2), emit.attributes().getI64Type()), {regions, 1, 1});
  auto terms = readNeighbors(emit, images, sample, {bins[0].neighbors, bins[1].neighbors});
  Tensor values = isMax ? combine<graph::MaxOp>(emit, terms) : combine<graph::AddOp>(emit, terms);
  Tensor result = emit.transpose(reduceSamples(values), {0, 3, 1, 2});
  return node.setResult(emit.cast(result, x.elementType()));
}

LogicalResult importFirstRoiAlign(Node &node) { return RoiAlign(node, "output_half_pixel").run(); }
LogicalResult importRoiAlign(Node &node) { return RoiAlign(node, "half_pixel").run(); }

} // namespace

llvm::ArrayRef<Operator> samplingOperators() {
  constexpr auto imageAndRegions = static_cast<Gradients>(FirstInput | SecondInput);
  static const Operator rows[] = {
      {"DeformConv", 19, 3, 5, AllInputs, importDeformConv},
      {"RoiAlign", 10, 3, 3, imageAndRegions, importFirstRoiAlign},
      {"RoiAlign", 16, 3, 3, imageAndRegions, importRoiAlign},
  };
  return rows;
}

} // namespace pcc::import
