// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the index that Megatron-LM writes beside its tokens (megatron/core/datasets/
// indexed_dataset.py). All numbers are little endian:
//
//   "MMIDIDX\0\0", version (u64), type of the tokens (u8)
//   number of sequences (u64), number of boundaries of documents (u64)
//   length of each sequence (i32), position of each sequence in bytes (i64)
//   boundaries (i64), which windows do not need
//
// Sequences lie one after the other unless somebody has edited the index.

#include "runtime/data/formats/Formats.h"

#include "runtime/abi/files/Heartbeat.h"

#include <cstring>

namespace pcc::runtime {
namespace {

constexpr std::string_view indexMagic("MMIDIDX\0\0", 9);
constexpr uint64_t versionAt = indexMagic.size(), typeAt = versionAt + 8, sequencesAt = typeAt + 1,
                   boundariesAt = sequencesAt + 8, lengthsAt = boundariesAt + 8;

/// By the number of the type, from 1.
constexpr Storage indexTypes[] = {Storage::Bytes, Storage::I8,  Storage::I16, Storage::I32,
                                  Storage::I64,   Storage::F64, Storage::F32, Storage::U16};

template <typename T> T numberAt(std::span<const std::byte> bytes, uint64_t offset) {
  T number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

/// The tables of an index, whose sizes are checked.
struct Tables {
  Storage storage;
  uint64_t sequences;
};

Expected<Tables> readTables(const std::string &path, std::span<const std::byte> bytes) {
  if (bytes.size() < lengthsAt ||
      std::memcmp(bytes.data(), indexMagic.data(), indexMagic.size()) != 0)
    return Status::badInput(fmt::format("{}: not an index of Megatron", path));
  auto version = numberAt<uint64_t>(bytes, versionAt);
  auto type = numberAt<uint8_t>(bytes, typeAt);
  if (version != 1)
    return Status::badInput(
        fmt::format("{}: expected version 1 of Megatron's index, got {}", path, version));
  if (type < 1 || type > std::size(indexTypes))
    return Status::badInput(fmt::format("{}: expected a type of tokens from 1 to {}, got {}", path,
                                        std::size(indexTypes), type));
  auto sequences = numberAt<uint64_t>(bytes, sequencesAt),
       boundaries = numberAt<uint64_t>(bytes, boundariesAt);
  uint64_t tables = bytes.size() - lengthsAt, perSequence = sizeof(int32_t) + sizeof(int64_t);
  bool fits = sequences <= tables / perSequence &&
              boundaries <= (tables - sequences * perSequence) / sizeof(int64_t);
  uint64_t rest = fits ? tables - sequences * perSequence - boundaries * sizeof(int64_t) : 0;
  // An index of several modes has one more byte for each sequence.
  if (!fits || (rest != 0 && rest != sequences))
    return Status::badInput(
        fmt::format("{}: expected tables of {} sequences and {} boundaries of documents, got {} "
                    "bytes; the file is truncated or too long",
                    path, sequences, boundaries, tables));
  return Tables{indexTypes[type - 1], sequences};
}

} // namespace

Expected<TokenIndex> readMegatronIndex(const std::string &path, uint64_t tokenBytes) {
  Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.status();
  std::span<const std::byte> bytes = (*file)->bytes();
  Expected<Tables> tables = readTables(path, bytes);
  if (!tables)
    return tables.status();
  TokenIndex index{tables->storage, {}};
  uint64_t width = storageBytes(index.storage), positionsAt = lengthsAt + tables->sequences * 4;
  for (uint64_t i = 0; i < tables->sequences; ++i) {
    auto length = numberAt<int32_t>(bytes, lengthsAt + i * 4);
    auto position = numberAt<int64_t>(bytes, positionsAt + i * 8);
    uint64_t begin = uint64_t(position), count = uint64_t(length) * width;
    if (length < 0 || position < 0 || begin % width != 0 || begin > tokenBytes ||
        count > tokenBytes - begin)
      return Status::badInput(
          fmt::format("{}: sequence {}: expected a place in the {} bytes of tokens of {} bytes "
                      "each, got {} tokens from byte {} on",
                      path, i, tokenBytes, width, length, position));
    if (!index.runs.empty() && index.runs.back().begin + index.runs.back().bytes == begin)
      index.runs.back().bytes += count;
    else if (count > 0)
      index.runs.push_back({begin, count});
    if (constexpr uint64_t often = 1 << 16; i % often == often - 1) {
      (void)(*file)->finishRead(often * (4 + 8)); // the last call checks
      abi::beat();
    }
  }
  if (Status status = (*file)->finishRead(0); !status.ok())
    return status;
  return index;
}

} // namespace pcc::runtime
