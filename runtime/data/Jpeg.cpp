// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes with libjpeg-turbo, which interleaves the channels of a pixel, and takes them apart.

#include "runtime/data/Jpeg.h"

#include <memory>
#include <turbojpeg.h>

namespace pcc::runtime {

Expected<Image> decodeJpeg(std::span<const std::byte> bytes, const std::string &label,
                           uint64_t maxBytes) {
  std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  const auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
  auto fail = [&] {
    return Status::badInput(
        fmt::format("{}: expected a JPEG image, got: {}", label, tjGetErrorStr2(decoder.get())));
  };
  int width = 0, height = 0, sampling = 0, colors = 0;
  if (tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &sampling, &colors))
    return fail();
  int64_t channels = colors == TJCS_GRAY ? 1 : 3, area = int64_t(width) * height;
  // A block of 8 x 8 pixels has at least a bit.
  if (uint64_t(area) / 1024 > bytes.size())
    return Status::badInput(fmt::format("{}: expected a JPEG image, got {} bytes for {} x {} "
                                        "pixels",
                                        label, bytes.size(), width, height));
  if (2 * uint64_t(area) * uint64_t(channels) > maxBytes)
    return Status::badInput(fmt::format("{}: expected an image that needs at most {} bytes, got "
                                        "{} x {} pixels",
                                        label, maxBytes, width, height));
  std::vector<unsigned char> interleaved(size_t(area * channels));
  int format = channels == 1 ? TJPF_GRAY : TJPF_RGB;
  if (tjDecompress2(decoder.get(), data, bytes.size(), interleaved.data(), width, /*pitch=*/0,
                    height, format, TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS))
    return fail();
  Image image{{channels, height, width}, std::vector<std::byte>(interleaved.size())};
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t pixel = 0; pixel < area; ++pixel)
      image.pixels[size_t(channel * area + pixel)] =
          std::byte(interleaved[size_t(pixel * channels + channel)]);
  return image;
}

} // namespace pcc::runtime
