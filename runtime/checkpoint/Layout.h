// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which rank writes which block of which tensor to which place of its shard. A function of the
// program alone, so all processes find the same layout without a message.
//
//   mesh dp=2, tp=2    w [4, 6] split over tp    bias [6] whole on all ranks
//   rank 0             w[:, 0:3]
//   rank 1             w[:, 3:6]
//   rank 2                                       bias
//   rank 3
//
// Ranks 0 and 2 hold the same block of w, and 1 and 3 the other; all ranks hold the same bias. Each
// block goes to the rank with the fewest bytes so far among the ranks that hold it, the lowest on a
// tie.

#pragma once

#include "runtime/abi/checkpoint.pb.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// Returns a manifest with the mesh, shards and tensors of a valid executable. Hashes, sizes of
/// shards and everything about the run are left to the caller. A tensor of several pipeline stages
/// (programs of the executable) is written by ranks of the first one.
abi::CheckpointManifest layOutCheckpoint(const abi::Executable &executable);

/// A block that a shard holds.
struct ShardEntry {
  const abi::CheckpointTensor *tensor = nullptr;
  const abi::CheckpointBlock *block = nullptr;
};

/// Returns the blocks of shard number `shard` in the order of the file. `manifest` must outlive
/// them.
std::vector<ShardEntry> entriesOf(const abi::CheckpointManifest &manifest, uint32_t shard);

/// Returns the bytes before the data of a shard: its header.
std::string headerOf(const std::vector<ShardEntry> &entries);

/// Returns the index of the shard that `rank` writes; -1 if it writes none.
int shardOfRank(const abi::CheckpointManifest &manifest, int64_t rank);

} // namespace pcc::runtime
