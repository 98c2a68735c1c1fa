// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes with libjpeg-turbo, which interleaves the channels of a pixel, and takes them apart.

#include "runtime/data/Jpeg.h"

#include <memory>
#include <turbojpeg.h>
#include <vector>

namespace pcc::runtime {
namespace {

/// A decoder of libjpeg-turbo, for one image.
class Decoder {
public:
  Decoder(std::span<const std::byte> bytes, const std::string &label)
      : bytes(bytes), label(label), handle(tjInitDecompress(), tjDestroy) {}

  /// Returns the shape of the image, with one channel if it is gray, else three.
  Expected<ImageShape> readShape() const {
    int width = 0, height = 0, sampling = 0, colors = 0;
    if (tjDecompressHeader3(handle.get(), data(), bytes.size(), &width, &height, &sampling,
                            &colors))
      return fail();
    if (colors == TJCS_CMYK || colors == TJCS_YCCK)
      return Status::badInput(fmt::format(
          "{}: expected a JPEG image in gray or in red, green and blue, got one in CMYK", label));
    return ImageShape{colors == TJCS_GRAY ? 1 : 3, height, width};
  }

  /// Decodes to pixels, whose channels are interleaved.
  Expected<std::vector<unsigned char>> decode(const ImageShape &shape) const {
    std::vector<unsigned char> pixels(size_t(shape.bytes()));
    if (tjDecompress2(handle.get(), data(), bytes.size(), pixels.data(), int(shape.width),
                      /*pitch=*/0, int(shape.height), shape.channels == 1 ? TJPF_GRAY : TJPF_RGB,
                      TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS))
      return fail();
    return pixels;
  }

private:
  const unsigned char *data() const {
    return reinterpret_cast<const unsigned char *>(bytes.data());
  }
  Status fail() const {
    return Status::badInput(
        fmt::format("{}: expected a JPEG image, got: {}", label, tjGetErrorStr2(handle.get())));
  }

  std::span<const std::byte> bytes;
  const std::string &label;
  std::unique_ptr<void, int (*)(tjhandle)> handle;
};

} // namespace

Expected<ImageShape> readJpegShape(std::span<const std::byte> bytes, const std::string &label,
                                   uint64_t maxBytes) {
  Expected<ImageShape> shape = Decoder(bytes, label).readShape();
  if (!shape)
    return shape;
  // A block of 8 x 8 pixels has at least a bit.
  if (uint64_t(shape->height * shape->width) / 1024 > bytes.size())
    return Status::badInput(fmt::format("{}: expected a JPEG image, got {} bytes for {} x {} "
                                        "pixels",
                                        label, bytes.size(), shape->width, shape->height));
  if (2 * uint64_t(shape->bytes()) > maxBytes)
    return Status::badInput(fmt::format("{}: expected an image that needs at most {} bytes, got "
                                        "{} x {} pixels",
                                        label, maxBytes, shape->width, shape->height));
  return shape;
}

Status decodeJpeg(std::span<const std::byte> bytes, const std::string &label,
                  const ImageShape &shape, std::span<std::byte> out) {
  Decoder decoder(bytes, label);
  Expected<ImageShape> own = decoder.readShape();
  if (!own)
    return own.status();
  if (own->height != shape.height || own->width != shape.width)
    return Status::badInput(fmt::format("{}: the file has changed since it was opened", label));
  Expected<std::vector<unsigned char>> interleaved = decoder.decode(shape);
  if (!interleaved)
    return interleaved.status();
  int64_t area = shape.height * shape.width;
  for (int64_t channel = 0; channel < shape.channels; ++channel)
    for (int64_t pixel = 0; pixel < area; ++pixel)
      out[size_t(channel * area + pixel)] =
          std::byte((*interleaved)[size_t(pixel * shape.channels + channel)]);
  return {};
}

} // namespace pcc::runtime
