// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the part of a byte by binary search. A file is mapped before its first bytes tell whether
// it is compressed.

#include "runtime/data/Dataset.h"

#include "runtime/data/ReadDecompressed.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <utility>

namespace pcc::runtime {
namespace {

/// Parts that a thread has decoded. Rows are read in pieces, one after the other.
struct Decoded {
  uint64_t id = 0;              ///< of the part that was decoded last; 0: none
  std::vector<std::byte> bytes; ///< its values
  Status status;
  Status firstError;        ///< of the parts that were read since finishRead()
  uint64_t bytesToRead = 0; ///< of the parts that were decoded since finishRead()
};

thread_local Decoded decoded;

} // namespace

Values::Part partOf(std::vector<std::byte> bytes, const std::string &path) {
  auto memory = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {.bytes = *memory, .memory = memory, .path = path};
}

Values::Values(std::vector<std::byte> bytes) {
  std::vector<Part> one;
  one.push_back(partOf(std::move(bytes)));
  *this = Values(std::move(one));
}

Values::Values(std::vector<Part> given) {
  static std::atomic<uint64_t> decodedParts = 0;
  for (Part &part : given) {
    part.begin = total;
    total += part.size();
    if (part.decoder) {
      part.id = ++decodedParts;
      hasDecoder = true;
    }
  }
  parts = std::make_shared<const std::vector<Part>>(std::move(given));
}

std::span<const std::byte> Values::contentOf(const Part &part) {
  if (!part.decoder)
    return part.bytes;
  if (decoded.id != part.id) {
    decoded.id = 0;
    decoded.bytesToRead += part.bytes.size();
    decoded.bytes.assign(size_t(part.decodedBytes), std::byte(0));
    decoded.status = part.decoder->decode(part, decoded.bytes);
    if (!decoded.status.ok())
      std::ranges::fill(decoded.bytes, std::byte(0));
    decoded.id = part.id;
  }
  if (decoded.firstError.ok())
    decoded.firstError = decoded.status;
  return decoded.bytes;
}

bool Values::isMapped() const {
  return std::ranges::any_of(*parts, [](const Part &part) { return part.file != nullptr; });
}

std::vector<Values::Part>::const_iterator Values::partAt(int64_t byte) const {
  return std::ranges::upper_bound(*parts, byte, {}, &Part::begin) - 1;
}

Status Values::finishRead(int64_t begin, int64_t count) const {
  if (count <= 0)
    return {};
  for (auto part = partAt(begin); part != parts->end() && part->begin < begin + count; ++part)
    if (part->file) {
      int64_t first = std::max(begin, part->begin);
      int64_t end = std::min(begin + count, part->begin + part->size());
      uint64_t read = part->decoder ? std::exchange(decoded.bytesToRead, 0) : uint64_t(end - first);
      if (Status status = part->file->finishRead(read); !status.ok())
        return status;
      if (part->decoder)
        if (Status status = std::exchange(decoded.firstError, {}); !status.ok())
          return status;
    }
  return {};
}

Expected<Values::Part> readPart(const std::string &path) {
  constexpr std::byte gzip[] = {std::byte(0x1f), std::byte(0x8b)};
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
    if (!file)
      return file.status();
    std::span<const std::byte> bytes = (*file)->bytes();
    if (bytes.size() < 2 || !std::ranges::equal(bytes.first(2), gzip))
      return Values::Part{.bytes = bytes, .file = *file, .path = path};
  }
  Expected<std::vector<std::byte>> bytes = readDecompressed(path);
  if (!bytes)
    return bytes.status();
  return partOf(std::move(*bytes), path);
}

} // namespace pcc::runtime
