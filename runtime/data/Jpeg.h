// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes JPEG images.

#pragma once

#include "runtime/base/Base.h"

#include <array>
#include <span>
#include <vector>

namespace pcc::runtime {

/// An image as it is trained on: [channels, height, width], a byte for each pixel and channel.
struct Image {
  std::array<int64_t, 3> shape;
  std::vector<std::byte> pixels;
};

/// Decodes an image of one channel or, if it has colors, of red, green and blue. `label` names it
/// in errors: not a JPEG image, damaged, one whose decoding needs more than `maxBytes`.
Expected<Image> decodeJpeg(std::span<const std::byte> bytes, const std::string &label,
                           uint64_t maxBytes);

} // namespace pcc::runtime
