// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shard that one rank writes of a checkpoint.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/base/Base.h"
#include "runtime/execute/rank/RankExecutor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime {

/// Writes the shard of one rank, from its memory or from a copy. The buffer of each block is found
/// once. Without copies, the blocks of a GPU are in host memory one after the other.
class RankShard {
public:
  /// `layout` is the manifest by layOutCheckpoint.
  RankShard(std::shared_ptr<const abi::CheckpointManifest> layout, const RankExecutor &rank);

  /// Copies all blocks to memory of this shard. write() then needs the rank no longer. The memory
  /// stays for the next copy, since new pages take several times the seconds of the copy.
  Status copyBlocks(const RankExecutor &rank);

  /// Gives up the memory of the copies.
  void dropCopies() { copies.clear(); }

  /// Write the shard to `folder`, from the copies, or directly from the rank. Set its size and
  /// hash. A rank without a shard writes nothing.
  Status write(const std::string &folder, abi::CheckpointShard &shard) const;
  Status write(const std::string &folder, abi::CheckpointShard &shard,
               const RankExecutor &rank) const;

private:
  using Bytes = std::vector<std::byte>;
  template <typename BytesOf>
  Status writeBlocks(const std::string &folder, abi::CheckpointShard &shard,
                     BytesOf &&bytesOf) const;
  Expected<std::span<const std::byte>> read(const RankExecutor &rank, size_t block,
                                            Bytes &copy) const;

  struct Block {
    uint32_t buffer;
    size_t bytes;
  };
  std::shared_ptr<const abi::CheckpointManifest> layout;
  int number; ///< of the shard; -1: none
  std::vector<Block> blocks;
  std::vector<Bytes> copies; ///< by block, after copyBlocks()
};

} // namespace pcc::runtime
