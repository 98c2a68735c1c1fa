// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resize and Upsample. Sizes are known, so each dimension is resized alone: by repeating, slicing
// or gathering elements for the mode nearest, else by a matmul with constant weights.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/ResizeWeights.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace mlir;

namespace pcc::import {
namespace {

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
