// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resize and Upsample. Sizes are known, so each dimension is resized alone: by repeating, slicing
// or gathering elements for the mode nearest, else by a matmul with constant weights.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace pcc::import {
namespace {

//===--- Weights along one dimension -------------------------------------===//

// Weights along one dimension, as ONNX's reference computes them. The place of a result is its
// source coordinate: a real number in units of input elements. A result is a weighted sum of the
// elements next to its place.
//
// Each coordinate transformation mode is one formula. Weights sample a triangle (linear) or Keys'
// cubic around the source coordinate; antialiasing stretches this filter when an image shrinks.
// Weights outside the input go to the edge element, or are dropped and the rest normalized.

/// Options of a Resize node that all dimensions share.
struct ResizeMode {
  std::string kind;       ///< nearest, linear or cubic
  std::string coordinate; ///< coordinate transformation mode
  std::string rounding;   ///< of nearest: round_prefer_floor, round_prefer_ceil, floor, ceil
  double cubicA = -0.75;
  bool isAntialiased = false, excludesOutside = false;
};

/// One resized dimension.
struct ResizeAxis {
  int64_t input, output;
  double scale;
  double roiStart = 0.0, roiEnd = 1.0; ///< of mode tf_crop_and_resize
};

double sourceCoordinateOf(const ResizeMode &mode, const ResizeAxis &axis, int64_t index) {
  auto x = static_cast<double>(index), input = static_cast<double>(axis.input);
  double output = axis.scale * input; // the output size before it is rounded down
  double halfPixel = (x + 0.5) / axis.scale - 0.5;
  if (mode.coordinate == "align_corners")
    return output == 1.0 ? 0.0 : x * (input - 1) / (output - 1);
  if (mode.coordinate == "asymmetric")
    return x / axis.scale;
  if (mode.coordinate == "tf_half_pixel_for_nn")
    return (x + 0.5) / axis.scale;
  if (mode.coordinate == "tf_crop_and_resize") {
    double part = (axis.roiEnd - axis.roiStart) * (input - 1);
    return axis.roiStart * (input - 1) + (output == 1.0 ? part / 2 : x * part / (output - 1));
  }
  if (mode.coordinate == "pytorch_half_pixel")
    return output == 1.0 ? -0.5 : halfPixel;
  if (mode.coordinate == "half_pixel_symmetric")
    return input / 2 * (1 - static_cast<double>(axis.output) / output) + halfPixel;
  return halfPixel;
}

double cubic(double distance, double a) {
  double x = std::fabs(distance);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

double linear(double distance) { return std::max(0.0, 1 - std::fabs(distance)); }

/// Adds the weights of one place to its row of the matrix.
void addWeights(const ResizeMode &mode, const ResizeAxis &axis, double place,
                llvm::MutableArrayRef<double> row) {
  // Antialiasing widens the filter where the image becomes smaller.
  double scale = mode.isAntialiased ? std::min(axis.scale, 1.0) : 1.0;
  int64_t reach = mode.kind == "cubic" ? 2 : 1;
  auto first = static_cast<int64_t>(std::floor(static_cast<double>(-reach) / scale)) + 1;
  // A place at an element lies between it and the one before.
  auto base = static_cast<int64_t>(std::ceil(place)) - 1;
  llvm::SmallVector<double> weights;
  for (int64_t n : llvm::seq(2 - 2 * first)) {
    double distance = (static_cast<double>(base + first + n) - place) * scale;
    bool isLeftOut =
        mode.excludesOutside && (base + first + n < 0 || base + first + n >= axis.input);
    double weight = mode.kind == "cubic" ? cubic(distance, mode.cubicA) : linear(distance);
    weights.push_back(isLeftOut ? 0.0 : weight);
  }
  double sum = 1.0;
  if (mode.isAntialiased || mode.excludesOutside)
    sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (auto [n, weight] : llvm::enumerate(weights)) {
    int64_t index = base + first + static_cast<int64_t>(n);
    row[std::clamp<int64_t>(index, 0, axis.input - 1)] += weight / sum;
  }
}

/// Returns whether the mode is one of ONNX's coordinate transformation modes.
bool isCoordinateMode(llvm::StringRef mode) {
  static constexpr llvm::StringLiteral modes[] = {
      "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
      "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
  return llvm::is_contained(modes, mode);
}

/// Returns the coordinate in the input of each result.
llvm::SmallVector<double> sourceCoordinates(const ResizeMode &mode, const ResizeAxis &axis) {
  llvm::SmallVector<double> places;
  for (int64_t index : llvm::seq(axis.output))
    places.push_back(sourceCoordinateOf(mode, axis, index));
  return places;
}

/// Returns the index of the nearest element for each place.
llvm::SmallVector<int64_t> nearestIndices(const ResizeMode &mode, const ResizeAxis &axis,
                                          llvm::ArrayRef<double> places) {
  llvm::SmallVector<int64_t> indices;
  for (double place : places) {
    double below = std::floor(place), part = place - below;
    bool isAbove = mode.rounding == "ceil"                ? part > 0
                   : mode.rounding == "round_prefer_ceil" ? part >= 0.5
                   : mode.rounding == "floor"             ? false
                                                          : part > 0.5;
    indices.push_back(
        std::clamp<int64_t>(static_cast<int64_t>(below) + isAbove, 0, axis.input - 1));
  }
  return indices;
}

/// Returns the matrix [output, input], row-major, of linear or cubic weights.
llvm::SmallVector<double> resizeMatrix(const ResizeMode &mode, const ResizeAxis &axis,
                                       llvm::ArrayRef<double> places) {
  llvm::SmallVector<double> matrix(axis.output * axis.input, 0.0);
  for (auto [index, place] : llvm::enumerate(places))
    addWeights(mode, axis, place,
               llvm::MutableArrayRef(matrix).slice(index * axis.input, axis.input));
  return matrix;
}

//===--- The operators ---------------------------------------------------===//

/// Maximum number of elements of a matrix of weights along one dimension, and of this dimension.
constexpr int64_t maxWeights = int64_t(1) << 24;

class Resizer {
public:
  Resizer(Node &node) : node(node), emit(node.emit), x(node.input(0)) {}

  /// Imports the node with the inputs at these positions; 0 stands for none.
  LogicalResult run(size_t roi, size_t scales, size_t sizes);
  bool readMode(llvm::StringRef coordinate, llvm::StringRef rounding);
  bool setScales(llvm::ArrayRef<double> scales);
  LogicalResult resize();

private:
  bool readAxes();
  bool readNumbers(size_t position, llvm::StringRef what, size_t count,
                   llvm::SmallVector<double> &numbers);
  bool setSizes(llvm::ArrayRef<int64_t> sizes);
  bool isGiven(size_t position) const {
    return position != 0 && node.input(position) && !node.input(position).isEmpty();
  }
  Tensor takeNearest(const Tensor &from, int64_t dim, const ResizeAxis &axis,
                     llvm::ArrayRef<double> places);
  Tensor multiply(const Tensor &from, int64_t dim, const ResizeAxis &axis,
                  llvm::ArrayRef<double> places);
  /// Reports that a dimension becomes too large. Returns a null tensor.
  Tensor failTooLarge(const ResizeAxis &axis);
  Tensor extrapolate(const Tensor &from, int64_t dim, const ResizeAxis &axis,
                     llvm::ArrayRef<double> places);

  Node &node;
  Emitter &emit;
  Tensor x;
  ResizeMode mode;
  double extrapolation = 0.0;
  Shape dims; ///< the resized dimensions, in the order of the inputs
  llvm::SmallVector<ResizeAxis> axes;
};

bool Resizer::readMode(llvm::StringRef coordinate, llvm::StringRef rounding) {
  mode.kind = node.text("mode", "nearest");
  mode.coordinate = node.text("coordinate_transformation_mode", coordinate);
  mode.rounding = node.text("nearest_mode", rounding);
  mode.cubicA = node.number("cubic_coeff_a", -0.75);
  mode.isAntialiased = node.integer("antialias", 0) != 0;
  mode.excludesOutside = node.integer("exclude_outside", 0) != 0;
  extrapolation = node.number("extrapolation_value", 0.0);
  if (mode.kind != "nearest" && mode.kind != "linear" && mode.kind != "cubic") {
    emit.error() << "expected attribute 'mode' to be nearest, linear or cubic, got '" << mode.kind
                 << "'";
    return false;
  }
  if (!isCoordinateMode(mode.coordinate)) {
    emit.error() << "coordinate transformation mode '" << mode.coordinate << "' is not supported";
    return false;
  }
  if (mode.kind != "nearest" && !isa<FloatType>(x.elementType())) {
    emit.error() << "expected floats in mode '" << mode.kind << "', got " << x.type;
    return false;
  }
  return readAxes();
}

bool Resizer::readAxes() {
  dims = node.integers("axes").value_or(llvm::to_vector(llvm::seq<int64_t>(0, x.rank())));
  if (!node.checkAxes(dims, x.rank()))
    return false;
  for (int64_t &dim : dims) {
    dim = *node.checkAxis(dim, x.rank());
    axes.push_back({x.shape()[dim], x.shape()[dim], 1.0});
  }
  return true;
}

bool Resizer::readNumbers(size_t position, llvm::StringRef what, size_t count,
                          llvm::SmallVector<double> &numbers) {
  auto known = node.knownNumbers(position, what);
  if (!known)
    return false;
  numbers = std::move(*known);
  if (numbers.size() == count)
    return true;
  emit.error() << "expected " << count << " numbers in the " << what << ", got " << numbers.size();
  return false;
}

bool Resizer::setScales(llvm::ArrayRef<double> scales) {
  if (scales.size() != axes.size()) {
    emit.error() << "expected " << axes.size() << " scales, got " << scales.size();
    return false;
  }
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    double size = std::floor(static_cast<double>(axis.input) * scale);
    if (!(size >= 1 && size <= 0x1p31)) {
      emit.error() << "cannot scale dimensions of " << formatShape(x.shape()) << " by " << scale;
      return false;
    }
    axis.scale = scale;
    axis.output = static_cast<int64_t>(size);
  }
  return true;
}

/// Sets the sizes. Two policies keep the ratio of the sizes: the least or the greatest scale holds
/// for all dimensions.
bool Resizer::setSizes(llvm::ArrayRef<int64_t> sizes) {
  std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller") {
    emit.error() << "expected 'keep_aspect_ratio_policy' to be stretch, not_larger or "
                    "not_smaller, got '"
                 << policy << "'";
    return false;
  }
  bool areSizes =
      sizes.size() == axes.size() && llvm::all_of(sizes, [](int64_t size) { return size >= 1; });
  if (!areSizes || !isAddressable(sizes)) {
    emit.error() << "expected " << axes.size() << " positive sizes, got " << formatShape(sizes);
    return false;
  }
  double least = HUGE_VAL, greatest = 0.0;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    axis.output = size;
    axis.scale = static_cast<double>(size) / static_cast<double>(axis.input);
    least = std::min(least, axis.scale);
    greatest = std::max(greatest, axis.scale);
  }
  if (policy == "stretch")
    return true;
  for (ResizeAxis &axis : axes) {
    axis.scale = policy == "not_larger" ? least : greatest;
    double size = axis.scale * static_cast<double>(axis.input) + 0.5;
    if (!(size >= 1 && size <= 0x1p31)) {
      emit.error() << "cannot scale dimensions of " << formatShape(x.shape()) << " by "
                   << axis.scale;
      return false;
    }
    axis.output = static_cast<int64_t>(size);
  }
  return true;
}

/// Takes elements by their indices. Indices that repeat or step evenly need no gather.
Tensor Resizer::takeNearest(const Tensor &from, int64_t dim, const ResizeAxis &axis,
                            llvm::ArrayRef<double> places) {
  auto indices = nearestIndices(mode, axis, places);
  int64_t times = axis.output / axis.input;
  auto repeats = [&](int64_t n) { return times > 0 && indices[n] == n / times; };
  if (axis.output % axis.input == 0 && llvm::all_of(llvm::seq(axis.output), repeats)) {
    Shape apart(from.shape()), all(from.shape()), joined(from.shape());
    apart.insert(apart.begin() + dim + 1, 1);
    all.insert(all.begin() + dim + 1, times);
    joined[dim] = axis.output;
    return emit.reshape(emit.broadcast(emit.reshape(from, apart), all), joined);
  }
  int64_t step = axis.output > 1 ? indices[1] - indices[0] : 1;
  auto steps = [&](int64_t n) { return indices[n] == indices[0] + n * step; };
  if (step > 0 && llvm::all_of(llvm::seq(axis.output), steps))
    return emit.slice(from, dim, indices[0], step, axis.output);
  return emit.gather(from, Tensor::of(Constant::integers(emit.context(), indices)), dim);
}

Tensor Resizer::failTooLarge(const ResizeAxis &axis) {
  emit.error() << "resizing " << axis.input << " to " << axis.output
               << " elements needs too many weights";
  return {};
}

/// Multiplies dimension `dim` by the matrix of weights.
Tensor Resizer::multiply(const Tensor &from, int64_t dim, const ResizeAxis &axis,
                         llvm::ArrayRef<double> places) {
  if (axis.output > maxWeights / axis.input)
    return failTooLarge(axis);
  auto type = RankedTensorType::get({axis.output, axis.input}, from.elementType());
  auto weights = values::Tensor::floats(values::ElementType::F64, type.getShape(),
                                        resizeMatrix(mode, axis, places));
  auto wide = RankedTensorType::get(type.getShape(), Float64Type::get(emit.context()));
  Tensor matrix = emit.cast(Tensor::of(Constant::of(wide, weights)), from.elementType());
  return emit.contractAxis(from, matrix, dim);
}

/// Sets the results whose place is outside the input, in mode tf_crop_and_resize.
Tensor Resizer::extrapolate(const Tensor &from, int64_t dim, const ResizeAxis &axis,
                            llvm::ArrayRef<double> places) {
  llvm::SmallVector<int64_t> flags;
  for (double place : places)
    flags.push_back(place < 0 || place > static_cast<double>(axis.input - 1));
  if (mode.coordinate != "tf_crop_and_resize" || !llvm::is_contained(flags, 1))
    return from;
  Shape shape(from.rank() - dim, 1);
  shape.front() = axis.output;
  Tensor isOutside = emit.cast(Tensor::of(Constant::integers(emit.context(), flags)),
                               emit.attributes().getI1Type());
  return emit.select(emit.reshape(isOutside, shape), emit.scalarLike(from, extrapolation), from);
}

LogicalResult Resizer::resize() {
  Tensor result = x;
  for (auto [dim, axis] : llvm::zip_equal(dims, axes)) {
    bool isWhole = axis.roiStart == 0.0 && axis.roiEnd == 1.0;
    if (axis.output == axis.input && axis.scale == 1.0 && isWhole)
      continue;
    if (axis.output > maxWeights)
      return node.setResult(failTooLarge(axis));
    auto places = sourceCoordinates(mode, axis);
    result = mode.kind == "nearest" ? takeNearest(result, dim, axis, places)
                                    : multiply(result, dim, axis, places);
    if (!result)
      return failure();
    result = extrapolate(result, dim, axis, places);
  }
  return node.setResult(result);
}

LogicalResult Resizer::run(size_t roi, size_t scales, size_t sizes) {
  llvm::SmallVector<double> numbers, parts;
  if (isGiven(sizes) == isGiven(scales))
    return emit.error() << "expected either scales or sizes";
  if (isGiven(sizes)) {
    auto known = node.knownIntegers(sizes, "list of sizes");
    if (!known || !setSizes(*known))
      return failure();
  } else if (!readNumbers(scales, "list of scales", axes.size(), numbers) || !setScales(numbers)) {
    return failure();
  }
  if (mode.coordinate == "tf_crop_and_resize") {
    if (!readNumbers(roi, "region of interest", 2 * axes.size(), parts))
      return failure();
    for (auto [n, axis] : llvm::enumerate(axes)) {
      axis.roiStart = parts[n];
      axis.roiEnd = parts[n + axes.size()];
    }
  }
  return resize();
}

LogicalResult importUpsampleAttribute(Node &node) {
  Resizer resizer(node);
  auto scales = node.numbers("scales");
  if (!scales)
    return node.emit.error() << "expected attribute 'scales'";
  bool isRead = resizer.readMode("asymmetric", "floor") && resizer.setScales(*scales);
  return isRead ? resizer.resize() : failure();
}

/// Imports Upsample of opset 9 and Resize of opset 10.
LogicalResult importScaled(Node &node) {
  Resizer resizer(node);
  return resizer.readMode("asymmetric", "floor") ? resizer.run(0, 1, 0) : failure();
}

LogicalResult importResize(Node &node) {
  Resizer resizer(node);
  node.text("keep_aspect_ratio_policy", "stretch"); // read where sizes are given
  bool isRead = resizer.readMode("half_pixel", "round_prefer_floor");
  return isRead ? resizer.run(1, 2, 3) : failure();
}

} // namespace

llvm::ArrayRef<Operator> resizeOperators() {
  static const Operator rows[] = {
      {"Resize", 10, 2, 2, FirstInput, importScaled},
      {"Resize", 11, 1, 4, FirstInput, importResize},
      {"Upsample", 7, 1, 1, FirstInput, importUpsampleAttribute},
      {"Upsample", 9, 2, 2, FirstInput, importScaled},
  };
  return rows;
}

} // namespace pcc::import
