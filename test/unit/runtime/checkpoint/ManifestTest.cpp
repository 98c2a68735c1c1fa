// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/checkpoint/CheckpointFiles.h"

#include "runtime/abi/files/WholeFile.h"

#include <functional>
#include <google/protobuf/util/message_differencer.h>

namespace pcc::test {
namespace {

using namespace runtime;

TEST(Manifest, ReadsBackWhatWasWritten) {
  std::string folder = emptyFolder("manifest");
  abi::CheckpointManifest manifest = smallManifest();
  ASSERT_TRUE(writeManifest(manifest, folder).ok());
  Expected<abi::CheckpointManifest> read = readManifest(folder);
  ASSERT_TRUE(bool(read)) << read.status().message();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(*read, manifest));
  EXPECT_EQ(findTensor(*read, "w")->name(), "w");
  EXPECT_EQ(findTensor(*read, "v"), nullptr);
  EXPECT_EQ(bytesOf(read->tensors(0), read->tensors(0).blocks(0)), 12u);
}

TEST(Manifest, UnfinishedCheckpointsAreNamed) {
  std::string folder = emptyFolder("unfinished");
  EXPECT_EQ(readManifest(folder).status().message(),
            folder + ": expected a complete checkpoint, got no 'manifest.bin'; 'pcc checkpoint "
                     "list' shows the checkpoints of a folder");
}

// Every changed bit and every shorter file is refused.
TEST(Manifest, DamageIsFound) {
  std::string folder = emptyFolder("damaged"), path = folder + "/manifest.bin";
  ASSERT_TRUE(writeManifest(smallManifest(), folder).ok());
  std::string good = *abi::readFile(path);
  size_t found = 0;
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = char(bad[bit / 8] ^ (1 << bit % 8));
    writeQuickly(path, bad);
    found += !readManifest(folder);
  }
  for (size_t length = 0; length < good.size(); ++length) {
    writeQuickly(path, good.substr(0, length));
    found += !readManifest(folder);
  }
  EXPECT_EQ(found, 9 * good.size());
  EXPECT_NE(readManifest(folder).status().message().find("damaged: expected the hash "),
            std::string::npos);
}

// Fields that do not fit together are refused, whatever the hash says.
TEST(Manifest, FieldsAreChecked) {
  using Change = std::function<void(abi::CheckpointManifest &)>;
  auto block = [](abi::CheckpointManifest &manifest) {
    return manifest.mutable_tensors(0)->mutable_blocks(0);
  };
  const std::vector<std::pair<Change, std::string>> changes = {
      {[](auto &manifest) { manifest.set_step(-1); }, "expected a step from 0 on, got -1"},
      {[](auto &manifest) { manifest.mutable_data()->set_rows(0); },
       "expected a position in the data"},
      {[](auto &manifest) { manifest.mutable_shards(1)->set_file("../passwd"); },
       "shard of rank 1: expected the name of a file in the folder, got '../passwd'"},
      {[](auto &manifest) { manifest.mutable_shards(1)->set_rank(-2); },
       "shard of rank -2: expected a rank, got -2"},
      {[](auto &manifest) { manifest.mutable_tensors(0)->set_type(abi::ElementType(99)); },
       "'w': expected an element type and a shape"},
      {[](auto &manifest) { manifest.mutable_tensors(0)->set_shape(0, -4); },
       "'w': expected an element type and a shape"},
      {[&](auto &manifest) { block(manifest)->set_shard(2); },
       "'w': expected a shard below 2, got 2"},
      {[&](auto &manifest) { block(manifest)->add_shape(1); },
       "'w': expected a block of 2 dimensions, got 3"},
      {[&](auto &manifest) { block(manifest)->set_offsets(0, 1); },
       "'w': expected a block within 4 in dimension 0, got 4 from 1 on"},
      {[&](auto &manifest) { block(manifest)->set_shape(1, INT64_MAX); },
       "'w': expected a block within 6 in dimension 1, got 9223372036854775807 from 0 on"},
      {[&](auto &manifest) { block(manifest)->set_begin(89); },
       "'w': expected a block within the 100 bytes of its shard, got 12 from 89 on"},
      {[&](auto &manifest) { block(manifest)->set_shape(1, 2); },
       "'w': expected blocks of 24 elements, got 20"},
      {[](auto &manifest) { manifest.mutable_tensors(0)->mutable_blocks()->RemoveLast(); },
       "'w': expected blocks of 24 elements, got 12"},
  };
  EXPECT_TRUE(validate(smallManifest()).ok());
  for (const auto &[change, message] : changes) {
    abi::CheckpointManifest manifest = smallManifest();
    change(manifest);
    EXPECT_EQ(validate(manifest).message(), message);
  }
}

} // namespace
} // namespace pcc::test
