// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a field's values. They lie in parts, one after the other, and a part is in memory or
// in a mapped file. A part may be compressed: it is decoded each time that a thread reads it.
// Whoever holds the values owns the memory and the files together with others.

#pragma once

#include "runtime/base/MappedFile.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace pcc::runtime {

class PartDecoder;

class Values {
public:
  struct Part {
    /// The values, or what `decoder` makes values of.
    std::span<const std::byte> bytes;
    /// The file of the bytes, or the memory that has them.
    std::shared_ptr<const MappedFile> file = {};
    std::shared_ptr<const std::vector<std::byte>> memory = {};
    /// The file from which the bytes are, for diagnostics; empty: none.
    std::string path = {};
    std::shared_ptr<const PartDecoder> decoder = {};
    int64_t decodedBytes = 0; ///< with a decoder: bytes of the values
    /// The position in all values, and a number that no other decoded part has; set by Values.
    int64_t begin = 0;
    uint64_t id = 0;

    /// The number of bytes of its values.
    int64_t size() const { return decoder ? decodedBytes : int64_t(bytes.size()); }
  };

  Values() : Values(std::vector<Part>()) {}
  /// Values in memory.
  Values(std::vector<std::byte> bytes); // NOLINT: memory is the common owner
  /// Joins parts, of which every one has whole elements.
  explicit Values(std::vector<Part> parts);

  const std::vector<Part> &getParts() const { return *parts; }
  /// The number of bytes.
  int64_t bytes() const { return total; }
  bool isMapped() const;
  /// Whether parts are decoded when they are read.
  bool isCompressed() const { return hasDecoder; }

  /// Calls piece(bytes) for the consecutive pieces of `count` bytes from `begin` on.
  template <typename Piece> void forEachPiece(int64_t begin, int64_t count, Piece &&piece) const {
    if (count <= 0)
      return;
    for (auto part = partAt(begin); count > 0; ++part) {
      int64_t inPart = std::min(count, part->begin + part->size() - begin);
      piece(contentOf(*part).subspan(size_t(begin - part->begin), size_t(inPart)));
      begin += inPart;
      count -= inPart;
    }
  }

  /// Called by the thread that read these bytes. Errors: those of MappedFile::finishRead(); the
  /// first one of decoding since the last call, after which zeros were read.
  Status finishRead(int64_t begin, int64_t count) const;

  /// Returns the part that has byte number `byte`, which exists.
  std::vector<Part>::const_iterator partAt(int64_t byte) const;

private:
  /// Returns the values of a part. Those of a decoded part stay until this thread asks for those of
  /// another one.
  static std::span<const std::byte> contentOf(const Part &part);

  std::shared_ptr<const std::vector<Part>> parts;
  int64_t total = 0;
  bool hasDecoder = false; ///< of any part
};

/// Makes values of the bytes of a part.
class PartDecoder {
public:
  virtual ~PartDecoder() = default;
  /// Writes the values of a part to `out`, which has as many bytes. Any thread may call it. Errors
  /// name the part.
  virtual Status decode(const Values::Part &part, std::span<std::byte> out) const = 0;
};

/// Returns values in memory as a part.
Values::Part partOf(std::vector<std::byte> bytes, const std::string &path = {});

/// Returns the whole content of a file: mapped, or in memory if it is gzip-compressed or a pipe.
/// Errors name the file.
Expected<Values::Part> readPart(const std::string &path);

} // namespace pcc::runtime
