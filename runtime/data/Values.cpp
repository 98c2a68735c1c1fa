// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the part of a byte by binary search. A file is mapped before its first bytes tell whether
// it is compressed.

#include "runtime/data/Values.h"

#include "runtime/data/ReadDecompressed.h"

#include <algorithm>
#include <atomic>
#include <filesystem>

namespace pcc::runtime {
namespace {

/// The decoded part that a thread read last. Rows are read in pieces, one after the other.
struct DecodedPart {
  uint64_t id = 0;
  std::vector<std::byte> bytes;
  Status status;
};

thread_local DecodedPart lastDecoded;

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
    if (part.decoder)
      part.id = ++decodedParts;
  }
  parts = std::make_shared<const std::vector<Part>>(std::move(given));
}

std::span<const std::byte> Values::contentOf(const Part &part) {
  if (!part.decoder)
    return part.bytes;
  if (lastDecoded.id != part.id) {
    lastDecoded.id = part.id;
    lastDecoded.bytes.assign(size_t(part.decodedBytes), std::byte(0));
    lastDecoded.status = part.decoder->decode(part, lastDecoded.bytes);
    if (!lastDecoded.status.ok())
      std::ranges::fill(lastDecoded.bytes, std::byte(0));
  }
  return lastDecoded.bytes;
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
      uint64_t read = part->decoder ? part->bytes.size() : uint64_t(end - first);
      if (Status status = part->file->finishRead(read); !status.ok())
        return status;
      if (part->decoder && lastDecoded.id == part->id && !lastDecoded.status.ok())
        return lastDecoded.status;
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
