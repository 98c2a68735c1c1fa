// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints and folders for tests.

#pragma once

#include "runtime/checkpoint/Layout.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/Shards.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace pcc::test {

/// Returns an empty folder of this name.
inline std::string emptyFolder(const std::string &name) {
  std::string path = testing::TempDir() + "/" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

/// Writes a file without bringing it to the disk.
inline void writeQuickly(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// Returns the content of a file.
inline std::string readAll(const std::string &path) { return *abi::readFile(path); }

/// Adds a tensor of bytes without blocks.
inline abi::CheckpointTensor &addTensor(abi::CheckpointManifest &manifest, const std::string &name,
                                        const std::vector<int64_t> &shape) {
  abi::CheckpointTensor &tensor = *manifest.add_tensors();
  tensor.set_name(name);
  tensor.set_type(abi::U8);
  tensor.mutable_shape()->Add(shape.begin(), shape.end());
  return tensor;
}

inline abi::CheckpointBlock &addBlock(abi::CheckpointTensor &tensor, uint32_t shard,
                                      const std::vector<int64_t> &offsets,
                                      const std::vector<int64_t> &shape, uint64_t begin = 0) {
  abi::CheckpointBlock &block = *tensor.add_blocks();
  block.set_shard(shard);
  block.mutable_offsets()->Add(offsets.begin(), offsets.end());
  block.mutable_shape()->Add(shape.begin(), shape.end());
  block.set_begin(begin);
  return block;
}

/// A manifest of one tensor w [4, 6] in two blocks.
inline abi::CheckpointManifest smallManifest() {
  abi::CheckpointManifest manifest;
  manifest.set_step(7);
  for (int64_t rank = 0; rank < 2; ++rank) {
    abi::CheckpointShard &shard = *manifest.add_shards();
    shard.set_file("rank-0000" + std::to_string(rank) + ".safetensors");
    shard.set_bytes(100);
    shard.set_rank(rank);
  }
  abi::CheckpointTensor &tensor = addTensor(manifest, "w", {4, 6});
  addBlock(tensor, 0, {0, 0}, {4, 3}, 88);
  addBlock(tensor, 1, {0, 3}, {4, 3}, 88);
  return manifest;
}

} // namespace pcc::test
