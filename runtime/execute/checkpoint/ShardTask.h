// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the shard of one rank, from its memory or from a copy.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/execute/rank/RankExecutor.h"

#include <memory>
#include <string>
#include <vector>

namespace pcc::runtime {

/// The blocks of one rank, in the order of its shard.
class ShardTask {
public:
  /// `layout` is the manifest by layOutCheckpoint.
  ShardTask(std::shared_ptr<const abi::CheckpointManifest> layout, const RankExecutor &rank);

  /// Copies all blocks to memory of this task, which needs the rank no longer.
  Status copyBlocks(const RankExecutor &rank);

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
