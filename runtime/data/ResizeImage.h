// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales images, as Pillow and torchvision do by default.

#pragma once

#include "runtime/data/Jpeg.h"

#include <vector>

namespace pcc::runtime {

/// How images of any size become images of one shape: scaled so that the shorter side is
/// `shortSide`, then cut to `result` around the center. `shortSide` is at least the height and the
/// width of `result`.
struct ImageFit {
  int64_t shortSide = 0;
  ImageShape result;
};

/// Scales and cuts an image of the channels of `fit.result`.
///
/// Each pixel is a mean of the pixels that it covers, weighted by a triangle: the bilinear filter
/// with antialiasing of `torchvision.transforms.Resize(shortSide)`, followed by `CenterCrop`. Sums
/// are rounded after the columns and after the rows, as Pillow rounds them, so the bytes are equal.
std::vector<std::byte> fitImage(std::span<const std::byte> image, const ImageShape &shape,
                                const ImageFit &fit);

} // namespace pcc::runtime
