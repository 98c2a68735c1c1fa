// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes JPEG images.

#pragma once

#include "runtime/base/Base.h"

#include <span>

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

} // namespace pcc::runtime
