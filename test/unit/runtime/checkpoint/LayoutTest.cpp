// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/checkpoint/CheckpointFiles.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/checkpoint/MatchModel.h"

#include <map>
#include <set>

namespace pcc::test {
namespace {

using namespace runtime;

abi::Executable programOn(const std::vector<int64_t> &axes, int programs = 1) {
  abi::Executable executable;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    executable.mutable_mesh()->add_axes()->set_name(std::to_string(axis));
    executable.mutable_mesh()->mutable_axes(int(axis))->set_size(axes[axis]);
  }
  for (int p = 0; p < programs; ++p)
    executable.add_programs();
  return executable;
}

/// Adds a parameter to a program. Dimension d is cut by axis `cuts[d]`; -1: it is whole.
abi::Parameter &addParameter(abi::Executable &executable, int program, const std::string &name,
                             const std::vector<int64_t> &shape, const std::vector<int> &cuts) {
  abi::Parameter &parameter = *executable.mutable_programs(program)->add_parameters();
  parameter.set_name(name);
  abi::Block &block = *parameter.mutable_block();
  block.set_type(abi::F32);
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t parts = cuts[d] < 0 ? 1 : executable.mesh().axes(cuts[d]).size();
    block.add_global_shape(shape[d]);
    block.add_local_shape(shape[d] / parts);
    abi::RankExpression &offset = *block.add_offsets();
    if (cuts[d] >= 0) {
      offset.add_terms()->set_axis(uint32_t(cuts[d]));
      offset.mutable_terms(0)->set_stride(shape[d] / parts);
    }
  }
  return parameter;
}

std::string writersOf(const abi::CheckpointManifest &manifest, const std::string &name) {
  std::string text;
  for (const abi::CheckpointBlock &block : findTensor(manifest, name)->blocks())
    text += std::to_string(manifest.shards(int(block.shard())).rank()) + " ";
  return text;
}

// The example of Layout.h.
TEST(Layout, EqualBlocksGoToTheRankWithTheFewestBytes) {
  abi::Executable executable = programOn({2, 2});
  addParameter(executable, 0, "w", {4, 6}, {-1, 1});
  addParameter(executable, 0, "bias", {6}, {-1});
  addParameter(executable, 0, "empty", {0, 6}, {-1, -1});
  abi::CheckpointManifest manifest = layOutCheckpoint(executable);
  EXPECT_EQ(writersOf(manifest, "w"), "0 1 ");
  EXPECT_EQ(writersOf(manifest, "bias"), "2 ");
  EXPECT_EQ(writersOf(manifest, "empty"), "");
  EXPECT_EQ(manifest.shards_size(), 3);
  EXPECT_EQ(shardOfRank(manifest, 2), 2);
  EXPECT_EQ(shardOfRank(manifest, 3), -1);
  EXPECT_EQ(manifest.shards(1).file(), "rank-00001.safetensors");
}

// On many meshes and cuts, each element is in one block, and its writer holds the block. The blocks
// of a shard lie one after the other behind its header.
TEST(Layout, EveryElementIsWrittenOnce) {
  int programs = 0;
  for (int64_t first : {1, 2, 4})
    for (int64_t second : {1, 2, 3})
      for (int cut = -1; cut < 2; ++cut)
        for (int other = -1; other < 2; ++other) {
          if (cut >= 0 && cut == other)
            continue;
          abi::Executable executable = programOn({first, second});
          addParameter(executable, 0, "w", {12, 24}, {cut, other});
          addParameter(executable, 0, "s", {}, {});
          abi::CheckpointManifest manifest = layOutCheckpoint(executable);
          for (int s = 0; s < manifest.shards_size(); ++s) {
            uint64_t end = headerOf(entriesOf(manifest, uint32_t(s))).size();
            for (const ShardEntry &entry : entriesOf(manifest, uint32_t(s))) {
              EXPECT_EQ(entry.block->begin(), end);
              end += bytesOf(*entry.tensor, *entry.block);
            }
            manifest.mutable_shards(s)->set_bytes(end);
          }
          EXPECT_TRUE(validate(manifest).ok()) << validate(manifest).message();
          std::set<std::pair<int64_t, int64_t>> corners;
          for (const abi::CheckpointBlock &block : manifest.tensors(0).blocks()) {
            corners.emplace(block.offsets(0), block.offsets(1));
            std::vector<int64_t> held =
                abi::offsetsOf(executable.programs(0).parameters(0).block(), executable.mesh(),
                               manifest.shards(int(block.shard())).rank());
            EXPECT_EQ(held, std::vector<int64_t>(block.offsets().begin(), block.offsets().end()));
          }
          EXPECT_EQ(int(corners.size()), manifest.tensors(0).blocks_size());
          ++programs;
        }
  EXPECT_EQ(programs, 63);
}

// A tensor of several stages is written by the first of them.
TEST(Layout, SharedTensorsAreWrittenByTheFirstStage) {
  abi::Executable executable = programOn({4}, /*programs=*/2);
  addParameter(executable, 0, "shared", {8}, {-1});
  addParameter(executable, 1, "own", {8}, {-1});
  addParameter(executable, 1, "shared", {8}, {-1});
  abi::CheckpointManifest manifest = layOutCheckpoint(executable);
  EXPECT_EQ(manifest.tensors_size(), 2);
  EXPECT_EQ(writersOf(manifest, "shared"), "0 ");
  EXPECT_EQ(writersOf(manifest, "own"), "2 ");
}

TEST(MatchModel, NamesTheFirstDifference) {
  abi::Executable trained = programOn({2});
  addParameter(trained, 0, "w", {4, 6}, {0, -1});
  addParameter(trained, 0, "w.moment", {4, 6}, {0, -1}).set_state_of("w");
  trained.mutable_programs(0)->add_actions();
  abi::CheckpointManifest manifest = layOutCheckpoint(trained);
  EXPECT_TRUE(matchModel(manifest, trained).ok());

  abi::Executable other = programOn({3});
  addParameter(other, 0, "w", {4, 6}, {-1, 0});
  EXPECT_TRUE(matchModel(manifest, other).ok()) << "a program that only evaluates";
  other.mutable_programs(0)->add_actions();
  EXPECT_EQ(matchModel(manifest, other).message(),
            "expected only what the program has, got the optimizer state of 'w', 'w.moment'; "
            "continue with the model and the optimizer that were trained");
  addParameter(other, 0, "w.moment", {4, 6}, {-1, 0}).set_state_of("w");
  EXPECT_TRUE(matchModel(manifest, other).ok()) << "another layout";
  addParameter(other, 0, "v", {3}, {-1});
  EXPECT_EQ(matchModel(manifest, other).message(),
            "expected the parameter 'v' of 3xf32, got none; continue with the model and the "
            "optimizer that were trained");

  abi::Executable larger = programOn({2});
  addParameter(larger, 0, "w", {4, 8}, {0, -1});
  EXPECT_EQ(matchModel(manifest, larger).message(),
            "'w': expected 4x8xf32, got 4x6xf32; continue with the model that was trained, in the "
            "same sizes");
  larger.mutable_programs(0)->mutable_parameters(0)->mutable_block()->set_global_shape(1, 6);
  larger.mutable_programs(0)->mutable_parameters(0)->mutable_block()->set_type(abi::F16);
  EXPECT_EQ(matchModel(manifest, larger).message(),
            "'w': expected 4x6xf16, got 4x6xf32; continue with the model that was trained, in the "
            "same sizes");
}

// Optimizer states may be missing if the checkpoint has only parameters. A part is found in its
// whole tensor.
TEST(MatchModel, ParametersAlone) {
  abi::CheckpointManifest manifest;
  manifest.set_parameters_only(true);
  abi::CheckpointTensor &tensor = addTensor(manifest, "qkv", {2, 6});
  tensor.set_type(abi::F32);
  abi::Executable executable = programOn({2});
  executable.mutable_programs(0)->add_actions();
  abi::Parameter &part = addParameter(executable, 0, "qkv[q]", {2, 2}, {-1, -1});
  part.mutable_part()->set_whole("qkv");
  part.mutable_part()->add_shape(2);
  part.mutable_part()->add_shape(6);
  addParameter(executable, 0, "qkv[q].moment", {2, 2}, {-1, -1}).set_state_of("qkv[q]");
  EXPECT_TRUE(matchModel(manifest, executable).ok()) << matchModel(manifest, executable).message();
  EXPECT_EQ(findStored(manifest, executable.programs(0).parameters(0))->name(), "qkv");
  tensor.set_shape(1, 9);
  EXPECT_EQ(matchModel(manifest, executable).message(),
            "'qkv': expected 2x6xf32, got 2x9xf32; continue with the model that was trained, in "
            "the same sizes");
}

} // namespace
} // namespace pcc::test
