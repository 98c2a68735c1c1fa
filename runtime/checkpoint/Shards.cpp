// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block is read row by row along the last dimension. Rows that lie close together in the file are
// read by one call, up to a window of 1 MiB.

#include "runtime/checkpoint/Shards.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Heartbeat.h"
#include "runtime/abi/files/RetryAfterSignal.h"
#include "runtime/checkpoint/Manifest.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pcc::runtime {
namespace {

/// Largest number of bytes of one read, and largest gap between rows that is read along.
constexpr uint64_t windowBytes = uint64_t(1) << 20, gapBytes = 16 << 10;

std::string pathOf(const std::string &folder, const abi::CheckpointShard &shard) {
  return folder + "/" + shard.file();
}

int openFile(const std::string &path) {
  return abi::retryAfterSignal([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
}

Status openFailure(const std::string &path) {
  return Status::badInput(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
}

/// Reads all of `bytes` from `position` on. Returns the problem; empty if there is none.
std::string readFully(int file, uint64_t position, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t got = abi::retryAfterSignal(
        [&] { return pread(file, bytes.data(), bytes.size(), off_t(position)); });
    if (got < 0)
      return fmt::format("cannot read: {}", std::strerror(errno));
    if (got == 0)
      return "damaged: the file ends too early";
    bytes = bytes.subspan(size_t(got));
    position += uint64_t(got);
    abi::beat();
  }
  return "";
}

/// Returns the problem of an open shard; empty if it is as it was written.
std::string compareShard(int file, const abi::CheckpointShard &shard) {
  struct stat facts;
  if (fstat(file, &facts) != 0)
    return fmt::format("cannot read: {}", std::strerror(errno));
  if (uint64_t(facts.st_size) != shard.bytes())
    return fmt::format("damaged: expected {} bytes, got {}", shard.bytes(), facts.st_size);
  Xxh3 hash;
  std::vector<std::byte> window(std::min(windowBytes, shard.bytes()));
  for (uint64_t at = 0; at < shard.bytes(); at += window.size()) {
    window.resize(std::min<uint64_t>(window.size(), shard.bytes() - at));
    if (std::string wrong = readFully(file, at, window); !wrong.empty())
      return wrong;
    hash.update({reinterpret_cast<const char *>(window.data()), window.size()});
  }
  return hash.digest() == shard.hash() ? ""
                                       : fmt::format("damaged: expected the hash {:016x}, got "
                                                     "{:016x}",
                                                     shard.hash(), hash.digest());
}

/// The elements that a block and a box have in common, as rows along the last dimension.
struct Intersection {
  Intersection(const abi::CheckpointTensor &tensor, const abi::CheckpointBlock &block,
               const TensorBox &box)
      : block(block), box(box), width(abi::elementBytes(tensor.type())) {
    for (size_t d = 0; d < box.shape.size(); ++d) {
      int64_t offset = block.offsets(int(d)), end = offset + block.shape(int(d));
      first.push_back(std::max(offset, box.offsets[d]));
      count.push_back(std::min(end, box.offsets[d] + box.shape[d]) - first.back());
      if (count.back() <= 0)
        rows = 0;
      else if (d + 1 < box.shape.size())
        rows *= count.back();
    }
  }

  uint64_t rowBytes() const { return (count.empty() ? 1 : uint64_t(count.back())) * width; }

  /// Returns where a row begins: the byte of the shard, and the byte of the box.
  std::pair<uint64_t, uint64_t> place(int64_t row) const {
    uint64_t inBlock = 0, inBox = 0, blockStride = width, boxStride = width;
    for (size_t d = count.size(); d-- > 0;) {
      int64_t index = first[d];
      if (d + 1 < count.size()) {
        index += row % count[d];
        row /= count[d];
      }
      inBlock += uint64_t(index - block.offsets(int(d))) * blockStride;
      inBox += uint64_t(index - box.offsets[d]) * boxStride;
      blockStride *= uint64_t(block.shape(int(d)));
      boxStride *= uint64_t(box.shape[d]);
    }
    return {block.begin() + inBlock, inBox};
  }

  const abi::CheckpointBlock &block;
  const TensorBox &box;
  const uint64_t width; ///< bytes of an element
  std::vector<int64_t> first, count;
  int64_t rows = 1;
};

} // namespace

Expected<ShardWriter> ShardWriter::create(const std::string &folder,
                                          const abi::CheckpointShard &shard, uint64_t bytes) {
  Expected<abi::FileWriter> file = abi::FileWriter::create(pathOf(folder, shard));
  if (!file)
    return file.status();
  if (Status status = file->reserve(bytes); !status.ok())
    return status;
  return ShardWriter(std::move(*file));
}

Status ShardWriter::append(std::string_view more) {
  bytes += more.size();
  hash.update(more);
  return file.append(more);
}

Status ShardWriter::commit(abi::CheckpointShard &shard) {
  shard.set_bytes(bytes);
  shard.set_hash(hash.digest());
  return file.commit();
}

Status verifyShard(const std::string &folder, const abi::CheckpointShard &shard) {
  std::string path = pathOf(folder, shard);
  int file = openFile(path);
  if (file < 0)
    return openFailure(path);
  std::string wrong = compareShard(file, shard);
  close(file);
  return wrong.empty() ? Status() : Status::badInput(path + ": " + wrong);
}

SliceReader::~SliceReader() {
  for (auto [shard, file] : files)
    close(file);
}

Expected<int> SliceReader::open(uint32_t shard) {
  if (auto found = files.find(shard); found != files.end())
    return found->second;
  std::string path = pathOf(folder, manifest.shards(int(shard)));
  int file = openFile(path);
  if (file < 0)
    return openFailure(path);
  files[shard] = file;
  return file;
}

Status SliceReader::readAt(uint32_t shard, uint64_t position, std::span<std::byte> bytes) {
  Expected<int> file = open(shard);
  if (!file)
    return file.status();
  std::string wrong = readFully(*file, position, bytes);
  return wrong.empty()
             ? Status()
             : Status::badInput(pathOf(folder, manifest.shards(int(shard))) + ": " + wrong);
}

Status SliceReader::read(const abi::CheckpointTensor &tensor, const TensorBox &box,
                         std::byte *out) {
  for (const abi::CheckpointBlock &block : tensor.blocks())
    if (Status status = readBlock(tensor, block, box, out); !status.ok())
      return status;
  return {};
}

/// Copies the intersection of a block and the box.
Status SliceReader::readBlock(const abi::CheckpointTensor &tensor,
                              const abi::CheckpointBlock &block, const TensorBox &box,
                              std::byte *out) {
  Intersection common(tensor, block, box);
  uint64_t row = common.rowBytes();
  uint64_t begin = 0, end = 0; // of the window in the file
  for (int64_t i = 0; i < common.rows; ++i) {
    auto [inFile, inBox] = common.place(i);
    if (inFile < begin || inFile + row > end) {
      bool hasLongGap = i + 1 < common.rows && common.place(i + 1).first > inFile + row + gapBytes;
      if (row >= windowBytes || hasLongGap) {
        if (Status status = readAt(block.shard(), inFile, {out + inBox, row}); !status.ok())
          return status;
        continue;
      }
      begin = inFile;
      end = std::min(common.place(common.rows - 1).first + row, begin + windowBytes);
      window.resize(end - begin);
      if (Status status = readAt(block.shard(), begin, window); !status.ok())
        return status;
    }
    std::memcpy(out + inBox, window.data() + (inFile - begin), row);
  }
  return {};
}

} // namespace pcc::runtime
