// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First chooses the writer of each block, then numbers the writers as shards, then places the
// blocks behind the header of their shard.

#include "runtime/checkpoint/Layout.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Safetensors.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/base/Base.h"
#include "runtime/checkpoint/Manifest.h"

#include <algorithm>
#include <map>
#include <set>

namespace pcc::runtime {
namespace {

abi::CheckpointTensor describe(const abi::Parameter &parameter) {
  abi::CheckpointTensor tensor;
  tensor.set_name(parameter.name());
  tensor.set_type(parameter.block().type());
  *tensor.mutable_shape() = parameter.block().global_shape();
  tensor.set_trainable(parameter.trainable());
  tensor.set_state(parameter.state());
  tensor.set_state_of(parameter.state_of());
  if (parameter.has_part())
    *tensor.mutable_part() = parameter.part();
  return tensor;
}

/// Chooses the ranks that write.
class WriterChoice {
public:
  explicit WriterChoice(const abi::Executable &executable)
      : executable(executable), bytes(size_t(abi::rankCount(executable.mesh()))) {}

  /// Adds the blocks of a parameter, with their writers as shards.
  void addBlocks(const abi::Parameter &parameter, abi::RankRange ranks,
                 abi::CheckpointTensor &tensor) {
    if (abi::elementCount(tensor.shape()).value_or(0) == 0)
      return;
    std::map<std::vector<int64_t>, std::vector<int64_t>> holders; // by offsets
    for (int64_t rank = ranks.first; rank < ranks.end; ++rank)
      holders[abi::offsetsOf(parameter.block(), executable.mesh(), rank)].push_back(rank);
    for (const auto &[offsets, list] : holders) {
      int64_t writer =
          *std::ranges::min_element(list, {}, [&](int64_t rank) { return bytes[size_t(rank)]; });
      abi::CheckpointBlock &block = *tensor.add_blocks();
      block.set_shard(uint32_t(writer));
      block.mutable_offsets()->Add(offsets.begin(), offsets.end());
      *block.mutable_shape() = parameter.block().local_shape();
      bytes[size_t(writer)] += bytesOf(tensor, block);
    }
  }

private:
  const abi::Executable &executable;
  std::vector<uint64_t> bytes; ///< by rank: bytes to write so far
};

/// Lists the ranks that write as shards, and replaces the rank of each block by its shard.
void numberShards(abi::CheckpointManifest &manifest) {
  std::map<uint32_t, uint32_t> numbers;
  for (const abi::CheckpointTensor &tensor : manifest.tensors())
    for (const abi::CheckpointBlock &block : tensor.blocks())
      numbers[block.shard()] = 0;
  for (auto &[rank, number] : numbers) {
    number = uint32_t(manifest.shards_size());
    abi::CheckpointShard &shard = *manifest.add_shards();
    shard.set_file(fmt::format("rank-{:05}.safetensors", rank));
    shard.set_rank(rank);
  }
  for (abi::CheckpointTensor &tensor : *manifest.mutable_tensors())
    for (abi::CheckpointBlock &block : *tensor.mutable_blocks())
      block.set_shard(numbers[block.shard()]);
}

void placeBlocks(abi::CheckpointManifest &manifest) {
  std::vector<uint64_t> ends;
  for (int s = 0; s < manifest.shards_size(); ++s)
    ends.push_back(headerOf(entriesOf(manifest, uint32_t(s))).size());
  for (abi::CheckpointTensor &tensor : *manifest.mutable_tensors())
    for (abi::CheckpointBlock &block : *tensor.mutable_blocks()) {
      block.set_begin(ends[block.shard()]);
      ends[block.shard()] += bytesOf(tensor, block);
    }
}

} // namespace

abi::CheckpointManifest layOutCheckpoint(const abi::Executable &executable) {
  abi::CheckpointManifest manifest;
  manifest.set_program(executable.name());
  *manifest.mutable_mesh() = executable.mesh();
  *manifest.mutable_batch() = executable.batch();
  manifest.set_pipeline_stages(uint32_t(executable.programs_size()));
  WriterChoice choice(executable);
  std::set<std::string> seen;
  for (int p = 0; p < executable.programs_size(); ++p)
    for (const abi::Parameter &parameter : executable.programs(p).parameters())
      if (seen.insert(parameter.name()).second) {
        abi::CheckpointTensor &tensor = *manifest.add_tensors();
        tensor = describe(parameter);
        choice.addBlocks(parameter, abi::ranksOfProgram(executable, p), tensor);
      }
  numberShards(manifest);
  placeBlocks(manifest);
  return manifest;
}

std::vector<ShardEntry> entriesOf(const abi::CheckpointManifest &manifest, uint32_t shard) {
  std::vector<ShardEntry> entries;
  for (const abi::CheckpointTensor &tensor : manifest.tensors())
    for (const abi::CheckpointBlock &block : tensor.blocks())
      if (block.shard() == shard)
        entries.push_back({&tensor, &block});
  return entries;
}

std::string headerOf(const std::vector<ShardEntry> &entries) {
  std::vector<abi::SafetensorsEntry> list;
  for (const ShardEntry &entry : entries)
    list.push_back({entry.tensor->name(),
                    entry.tensor->type(),
                    {entry.block->shape().begin(), entry.block->shape().end()}});
  return abi::safetensorsHead(list);
}

int shardOfRank(const abi::CheckpointManifest &manifest, int64_t rank) {
  auto found =
      std::ranges::find_if(manifest.shards(), [&](const auto &own) { return own.rank() == rank; });
  return found == manifest.shards().end() ? -1 : int(found - manifest.shards().begin());
}

} // namespace pcc::runtime
