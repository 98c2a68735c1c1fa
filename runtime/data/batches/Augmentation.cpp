// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a changed image line by line: the part of a line that lies in the image is one read, which
// is mirrored in place, and the rest is zero.

#include "runtime/data/batches/Augmentation.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/Random.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace pcc::runtime {
namespace {

constexpr int64_t maxCrop = 1024;

int64_t heightOf(const Field &field) { return field.rowShape[field.rowShape.size() - 2]; }
int64_t widthOf(const Field &field) { return field.rowShape.back(); }

/// Reverses `count` elements of `bytes` bytes each.
void mirror(std::byte *elements, int64_t count, int64_t bytes) {
  for (int64_t left = 0, right = count - 1; left < right; ++left, --right)
    std::swap_ranges(elements + left * bytes, elements + (left + 1) * bytes,
                     elements + right * bytes);
}

} // namespace

Expected<Augmentation> Augmentation::parse(const std::string &text, uint64_t seed) {
  Augmentation parsed;
  parsed.seed = seed;
  constexpr std::string_view crop = "crop=";
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string_view word = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (word == "flip") {
      parsed.flips = true;
      continue;
    }
    bool isCrop = word.starts_with(crop);
    if (isCrop)
      word.remove_prefix(crop.size());
    auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), parsed.crop);
    if (!isCrop || error != std::errc() || rest != word.data() + word.size() || parsed.crop < 1 ||
        parsed.crop > maxCrop)
      return Status::badUsage(
          fmt::format("--augment: expected flip, crop=PIXELS (1 to {}) or both, "
                      "separated by a comma, got '{}'",
                      maxCrop, text));
  }
  return parsed;
}

bool Augmentation::isImage(const Field &field) {
  return field.storage == Storage::Pixels ? field.rowShape.size() >= 2
                                          : field.rowShape.size() == 3 && !field.isInteger();
}

Status Augmentation::check(const Dataset &dataset) const {
  if (!changesAny())
    return {};
  bool hasImages = false;
  for (const Field &field : dataset.fields)
    if (isImage(field)) {
      hasImages = true;
      if (crop > std::min(heightOf(field), widthOf(field)))
        return Status::badUsage(fmt::format(
            "--augment: expected a crop of at most {}, the shorter side of '{}', got {}",
            std::min(heightOf(field), widthOf(field)), field.name, crop));
    }
  return hasImages ? Status()
                   : Status::badUsage(fmt::format("--augment: expected data with images [channels, "
                                                  "height, width], got none in '{}'",
                                                  dataset.name));
}

Augmentation::Draw Augmentation::draw(int64_t epoch, int64_t row) const {
  static const uint64_t stream = abi::streamOf("augment");
  uint64_t bits = abi::randomBits(seed, stream + uint64_t(epoch), uint64_t(row));
  uint64_t places = 2 * uint64_t(crop) + 1;
  // The lowest bit and two parts of the others. The remainders are uniform up to 2^-20.
  return {.isMirrored = flips && (bits & 1) != 0,
          .down = int64_t((bits >> 1 & 0x7fffffff) % places) - crop,
          .right = int64_t((bits >> 32) % places) - crop};
}

void Augmentation::read(const Field &field, int64_t epoch, int64_t row, int64_t begin,
                        int64_t count, abi::ElementType type, std::byte *out) const {
  Draw own = draw(epoch, row);
  int64_t height = heightOf(field), width = widthOf(field);
  auto bytes = int64_t(abi::elementBytes(type));
  std::memset(out, 0, size_t(count * bytes));
  for (int64_t end = begin + count, at = begin, next; at < end; at = next) {
    int64_t line = at / width, x = at % width, y = line % height;
    next = std::min(end, (line + 1) * width);
    // Columns x … x + n - 1 of the result, as columns `first` … of the image.
    int64_t n = next - at, first = (own.isMirrored ? width - x - n : x) + own.right;
    int64_t sourceY = y + own.down;
    if (sourceY < 0 || sourceY >= height)
      continue;
    int64_t low = std::max<int64_t>(first, 0), high = std::min(first + n, width);
    if (low >= high)
      continue;
    std::byte *lineOut = out + (at - begin) * bytes;
    field.read(row, (line - y + sourceY) * width + low, high - low, type,
               lineOut + (low - first) * bytes);
    if (own.isMirrored)
      mirror(lineOut, n, bytes);
  }
}

} // namespace pcc::runtime
