// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes with libjpeg-turbo, which interleaves the channels of a pixel, and takes them apart.
//
// Scales the columns first, then the rows. Weights are numbers of 22 fractional bits, as in
// Pillow's libImaging/Resample.c. Only the rows and columns of the cut are computed.

#include "runtime/data/formats/Image.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <turbojpeg.h>

namespace pcc::runtime {

//===--- Decoding --------------------------------------------------------===//

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

//===--- Scaling ---------------------------------------------------------===//

namespace {

constexpr int fractionBits = 22;

/// The pixels of a line of which a scaled pixel is the weighted mean.
struct Window {
  int64_t first = 0;
  std::vector<int32_t> weights; ///< sum to about 2^22
};

/// Returns the windows of the scaled pixels begin ≤ i < begin + count, if a line of `from` pixels
/// is scaled to `to`.
std::vector<Window> makeWindows(int64_t from, int64_t to, int64_t begin, int64_t count) {
  double scale = double(from) / double(to), reach = std::max(scale, 1.0);
  const double inverseReach = 1 / reach; // a factor, as in Pillow
  std::vector<Window> windows;
  for (int64_t i = begin; i < begin + count; ++i) {
    double center = (double(i) + 0.5) * scale;
    auto first = std::max<int64_t>(int64_t(center - reach + 0.5), 0);
    int64_t end = std::min(int64_t(center + reach + 0.5), from);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t pixel = first; pixel < end; ++pixel) {
      double distance = std::abs((double(pixel) - center + 0.5) * inverseReach);
      weights.push_back(std::max(1 - distance, 0.0));
      sum += weights.back();
    }
    Window &window = windows.emplace_back(Window{.first = first, .weights = {}});
    for (double weight : weights)
      window.weights.push_back(int32_t(0.5 + weight / sum * (1 << fractionBits)));
  }
  return windows;
}

/// Returns the weighted mean of pixels that are `stride` bytes apart. `pixel` is pixel number
/// `first`.
std::byte meanOf(const std::byte *pixel, int64_t first, int64_t stride, const Window &window) {
  int64_t sum = 1 << (fractionBits - 1);
  pixel += (window.first - first) * stride;
  for (int32_t weight : window.weights) {
    sum += int64_t(weight) * int64_t(*pixel);
    pixel += stride;
  }
  return std::byte(std::clamp<int64_t>(sum >> fractionBits, 0, 255));
}

/// Returns the first of `part` pixels in the middle of `whole`. As torchvision does, rounds a half
/// to the even number.
int64_t firstOfCenter(int64_t whole, int64_t part) {
  return int64_t(std::nearbyint(double(whole - part) / 2));
}

} // namespace

std::vector<std::byte> fitImage(std::span<const std::byte> image, const ImageShape &shape,
                                const ImageFit &fit) {
  int64_t shorter = std::min(shape.height, shape.width);
  int64_t height = shape.height * fit.shortSide / shorter;
  int64_t width = shape.width * fit.shortSide / shorter;
  const ImageShape &result = fit.result;
  std::vector<Window> columns =
      makeWindows(shape.width, width, firstOfCenter(width, result.width), result.width);
  std::vector<Window> rows =
      makeWindows(shape.height, height, firstOfCenter(height, result.height), result.height);
  // The rows of the image that the cut needs.
  int64_t first = rows.front().first;
  int64_t end = rows.back().first + int64_t(rows.back().weights.size());
  std::vector<std::byte> narrow(size_t((end - first) * result.width));
  std::vector<std::byte> out(size_t(result.bytes()));
  for (int64_t channel = 0; channel < result.channels; ++channel) {
    for (int64_t y = first; y < end; ++y) {
      const std::byte *line = image.data() + (channel * shape.height + y) * shape.width;
      for (int64_t x = 0; x < result.width; ++x)
        narrow[size_t((y - first) * result.width + x)] = meanOf(line, 0, 1, columns[size_t(x)]);
    }
    for (int64_t y = 0; y < result.height; ++y)
      for (int64_t x = 0; x < result.width; ++x)
        out[size_t((channel * result.height + y) * result.width + x)] =
            meanOf(narrow.data() + x, first, result.width, rows[size_t(y)]);
  }
  return out;
}

} // namespace pcc::runtime
