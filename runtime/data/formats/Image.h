// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes JPEG images, and scales them as Pillow and torchvision do by default.

#pragma once

#include "runtime/base/Base.h"

#include <span>
#include <vector>

namespace pcc::runtime {

/// The shape of an image as a model takes it, with a byte for each pixel and channel.
struct ImageShape {
  int64_t channels = 0, height = 0, width = 0;

  int64_t bytes() const { return channels * height * width; }
  bool operator==(const ImageShape &) const = default;
};

/// Returns the shape of an image, without decoding it: one channel or, if it has colors, red, green
/// and blue. `label` names it in errors: not a JPEG image; one in CMYK; one whose decoding needs
/// more than `maxBytes`.
Expected<ImageShape> readJpegShape(std::span<const std::byte> bytes, const std::string &label,
                                   uint64_t maxBytes);

/// Decodes an image to `out`, which has the height and width of the image, and one or three
/// channels: colors become gray, and gray three equal channels. `label` names it in errors: not a
/// JPEG image, or one that is damaged, even slightly.
Status decodeJpeg(std::span<const std::byte> bytes, const std::string &label,
                  const ImageShape &shape, std::span<std::byte> out);

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
