// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales the columns first, then the rows. Weights are numbers of 22 fractional bits, as in
// Pillow's libImaging/Resample.c. Only the rows and columns of the cut are computed.

#include "runtime/data/ResizeImage.h"

#include <algorithm>
#include <cmath>

namespace pcc::runtime {
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
