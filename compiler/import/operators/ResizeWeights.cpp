// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each coordinate transformation mode is one formula. Weights sample a triangle (linear) or Keys'
// cubic around the source coordinate; antialiasing stretches this filter when an image shrinks.
// Weights outside the input go to the edge element, or are dropped and the rest normalized.
#include "compiler/import/operators/ResizeWeights.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace pcc::import {
namespace {

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

} // namespace

bool isCoordinateMode(llvm::StringRef mode) {
  static constexpr llvm::StringLiteral modes[] = {
      "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
      "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
  return llvm::is_contained(modes, mode);
}

llvm::SmallVector<double> sourceCoordinates(const ResizeMode &mode, const ResizeAxis &axis) {
  llvm::SmallVector<double> places;
  for (int64_t index : llvm::seq(axis.output))
    places.push_back(sourceCoordinateOf(mode, axis, index));
  return places;
}

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

llvm::SmallVector<double> resizeMatrix(const ResizeMode &mode, const ResizeAxis &axis,
                                       llvm::ArrayRef<double> places) {
  llvm::SmallVector<double> matrix(axis.output * axis.input, 0.0);
  for (auto [index, place] : llvm::enumerate(places))
    addWeights(mode, axis, place,
               llvm::MutableArrayRef(matrix).slice(index * axis.input, axis.input));
  return matrix;
}

} // namespace pcc::import
