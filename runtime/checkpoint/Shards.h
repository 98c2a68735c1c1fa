// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data files of a checkpoint: written by one rank each, checked against their hashes, and read
// by every rank that needs a slice of them.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/base/Base.h"
#include "runtime/checkpoint/Xxh3.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime {

/// Writes a shard: its header, then its blocks in the order of Layout.h.
class ShardWriter {
public:
  /// Makes the file, with space for `bytes` bytes (FileWriter::reserve).
  static Expected<ShardWriter> create(const std::string &folder, const abi::CheckpointShard &shard,
                                      uint64_t bytes);
  Status append(std::string_view bytes);
  /// Brings the file to the disk. Sets size and hash of `shard`.
  Status commit(abi::CheckpointShard &shard);

private:
  explicit ShardWriter(abi::FileWriter file) : file(std::move(file)) {}

  abi::FileWriter file;
  Xxh3 hash;
  uint64_t bytes = 0;
};

/// Compares a shard with its size and hash. Errors (BadInput) name the file, what was expected and
/// what is there.
Status verifyShard(const std::string &folder, const abi::CheckpointShard &shard);

/// A box of a tensor: elements `offsets` … `offsets + shape` - 1.
struct TensorBox {
  std::vector<int64_t> offsets, shape;
};

/// Reads slices of the shards of one checkpoint. Keeps the files open. One thread uses a reader.
class SliceReader {
public:
  /// `manifest` must be valid, and outlive the reader.
  SliceReader(std::string folder, const abi::CheckpointManifest &manifest)
      : folder(std::move(folder)), manifest(manifest) {}
  ~SliceReader();
  SliceReader(const SliceReader &) = delete;

  /// Fills `out`, row-major, with the elements of `box`. Reads only what lies in the box, and gaps
  /// of a few pages between its rows.
  Status read(const abi::CheckpointTensor &tensor, const TensorBox &box, std::byte *out);

private:
  Expected<int> open(uint32_t shard);
  Status readBlock(const abi::CheckpointTensor &tensor, const abi::CheckpointBlock &block,
                   const TensorBox &box, std::byte *out);
  Status readAt(uint32_t shard, uint64_t position, std::span<std::byte> bytes);

  const std::string folder;
  const abi::CheckpointManifest &manifest;
  std::map<uint32_t, int> files; ///< descriptors by shard
  std::vector<std::byte> window; ///< bytes of the file that were read ahead
};

} // namespace pcc::runtime
