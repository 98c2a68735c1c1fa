// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of Resize along one dimension, as ONNX's reference computes them. The place of a result
// is its source coordinate: a real number in units of input elements. A result is a weighted sum of
// the elements next to its place. Outside the input, the element at the edge counts.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace pcc::import {

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

/// Returns whether the mode is one of ONNX's coordinate transformation modes.
bool isCoordinateMode(llvm::StringRef mode);

/// Returns the coordinate in the input of each result.
llvm::SmallVector<double> sourceCoordinates(const ResizeMode &mode, const ResizeAxis &axis);

/// Returns the index of the nearest element for each place.
llvm::SmallVector<int64_t> nearestIndices(const ResizeMode &mode, const ResizeAxis &axis,
                                          llvm::ArrayRef<double> places);

/// Returns the matrix [output, input], row-major, of linear or cubic weights.
llvm::SmallVector<double> resizeMatrix(const ResizeMode &mode, const ResizeAxis &axis,
                                       llvm::ArrayRef<double> places);

} // namespace pcc::import
