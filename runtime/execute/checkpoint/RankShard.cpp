// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/checkpoint/TrainingCheckpoints.h"

#include "runtime/checkpoint/Layout.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/Shards.h"

#include <algorithm>
#include <utility>

namespace pcc::runtime {

RankShard::RankShard(std::shared_ptr<const abi::CheckpointManifest> layout,
                     const RankExecutor &rank)
    : layout(std::move(layout)), number(shardOfRank(*this->layout, rank.rank())) {
  if (number < 0)
    return;
  for (const ShardEntry &entry : entriesOf(*this->layout, uint32_t(number))) {
    auto own = std::ranges::find_if(rank.program().parameters(), [&](const auto &parameter) {
      return parameter.name() == entry.tensor->name();
    });
    blocks.push_back({own->buffer(), bytesOf(*entry.tensor, *entry.block)});
  }
}

Expected<std::span<const std::byte>> RankShard::read(const RankExecutor &rank, size_t block,
                                                     Bytes &copy) const {
  return rank.read(blocks[block].buffer, blocks[block].bytes, copy);
}

Status RankShard::copyBlocks(const RankExecutor &rank) {
  copies.resize(blocks.size());
  for (size_t block = 0; block < blocks.size(); ++block) {
    Bytes &copy = copies[block];
    Expected<std::span<const std::byte>> bytes = read(rank, block, copy);
    if (!bytes)
      return bytes.status();
    if (bytes->data() != copy.data())
      copy.assign(bytes->begin(), bytes->end());
    abi::beat();
  }
  return {};
}

template <typename BytesOf>
Status RankShard::writeBlocks(const std::string &folder, abi::CheckpointShard &shard,
                              BytesOf &&bytesOf) const {
  if (number < 0)
    return {};
  shard = layout->shards(number);
  std::string head = headerOf(entriesOf(*layout, uint32_t(number)));
  uint64_t allBytes = head.size();
  for (const Block &block : blocks)
    allBytes += block.bytes;
  Expected<ShardWriter> writer = ShardWriter::create(folder, shard, allBytes);
  if (!writer)
    return writer.status();
  Status status = writer->append(head);
  for (size_t block = 0; block < blocks.size() && status.ok(); ++block) {
    Expected<std::span<const std::byte>> bytes = bytesOf(block);
    if (!bytes)
      return bytes.status();
    status = writer->append({reinterpret_cast<const char *>(bytes->data()), bytes->size()});
  }
  return status.ok() ? writer->commit(shard) : status;
}

Status RankShard::write(const std::string &folder, abi::CheckpointShard &shard) const {
  return writeBlocks(folder, shard, [&](size_t block) {
    return Expected<std::span<const std::byte>>(std::span<const std::byte>(copies[block]));
  });
}

Status RankShard::write(const std::string &folder, abi::CheckpointShard &shard,
                        const RankExecutor &rank) const {
  Bytes copy;
  return writeBlocks(folder, shard, [&](size_t block) { return read(rank, block, copy); });
}

} // namespace pcc::runtime
