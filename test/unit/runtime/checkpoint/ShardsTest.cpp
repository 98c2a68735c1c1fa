// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/checkpoint/CheckpointFiles.h"

#include "runtime/abi/Random.h"

#include <numeric>

namespace pcc::test {
namespace {

using namespace runtime;

/// Elements that say where they are.
std::vector<std::byte> numbered(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = std::byte(abi::randomBits(1, 2, i));
  return bytes;
}

/// Returns the elements of a box of a row-major tensor of bytes.
std::vector<std::byte> cut(const std::vector<std::byte> &whole, const std::vector<int64_t> &shape,
                           const TensorBox &box) {
  std::vector<std::byte> part;
  int64_t count = 1;
  for (int64_t extent : box.shape)
    count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, index = 0, stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      index += (rest % box.shape[d] + box.offsets[d]) * stride;
      rest /= box.shape[d];
      stride *= shape[d];
    }
    part.push_back(whole[size_t(index)]);
  }
  return part;
}

/// Writes a checkpoint of one tensor in blocks of equal size.
abi::CheckpointManifest writeBlocks(const std::string &folder, const std::vector<std::byte> &whole,
                                    const std::vector<int64_t> &shape,
                                    const std::vector<int64_t> &parts) {
  abi::CheckpointManifest manifest;
  abi::CheckpointTensor &tensor = addTensor(manifest, "w", shape);
  int64_t blocks = std::accumulate(parts.begin(), parts.end(), int64_t(1), std::multiplies<>());
  for (int64_t b = 0; b < blocks; ++b) {
    TensorBox box;
    for (int64_t rest = b, d = int64_t(shape.size()) - 1; d >= 0; rest /= parts[size_t(d)], --d) {
      int64_t size = shape[size_t(d)] / parts[size_t(d)];
      box.offsets.insert(box.offsets.begin(), rest % parts[size_t(d)] * size);
      box.shape.insert(box.shape.begin(), size);
    }
    abi::CheckpointShard &shard = *manifest.add_shards();
    shard.set_file("rank-" + std::to_string(b));
    abi::CheckpointBlock &block = addBlock(tensor, uint32_t(b), box.offsets, box.shape);
    std::string head = headerOf(entriesOf(manifest, uint32_t(b)));
    block.set_begin(head.size());
    std::vector<std::byte> bytes = cut(whole, shape, box);
    Expected<ShardWriter> writer = ShardWriter::create(folder, shard, head.size() + bytes.size());
    EXPECT_TRUE(writer->append(head).ok());
    EXPECT_TRUE(writer->append({reinterpret_cast<const char *>(bytes.data()), bytes.size()}).ok());
    EXPECT_TRUE(writer->commit(shard).ok());
    EXPECT_TRUE(verifyShard(folder, shard).ok());
  }
  EXPECT_TRUE(validate(manifest).ok()) << validate(manifest).message();
  return manifest;
}

// Blocks of each way to cut the tensor, read as boxes of each other way: short and long rows, close
// together and far apart, within and beyond a window.
TEST(Shards, AnyBoxIsReadFromAnyBlocks) {
  std::string folder = emptyFolder("shards");
  const std::vector<std::pair<std::vector<int64_t>, std::vector<std::vector<int64_t>>>> cases = {
      {{}, {{}}},
      {{12}, {{1}, {2}, {3}}},
      {{12, 8}, {{1, 1}, {2, 1}, {1, 2}, {3, 4}, {4, 2}}},
      {{4, 6, 8}, {{1, 1, 1}, {2, 3, 2}, {1, 2, 4}}},
      {{8, 40000}, {{1, 1}, {8, 1}, {1, 2}, {2, 4}}},
      {{2, 1500000}, {{1, 1}, {2, 1}, {1, 2}}},
  };
  int read = 0;
  for (const auto &[shape, cuts] : cases) {
    std::vector<std::byte> whole = numbered(
        size_t(std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>())));
    for (const std::vector<int64_t> &parts : cuts) {
      abi::CheckpointManifest manifest = writeBlocks(folder, whole, shape, parts);
      SliceReader reader(folder, manifest);
      for (const std::vector<int64_t> &other : cuts) {
        TensorBox box; // the last block of the other cut, and one that begins in the middle
        for (size_t d = 0; d < shape.size(); ++d) {
          box.shape.push_back(shape[d] / other[d]);
          box.offsets.push_back((shape[d] - box.shape[d]) / (read % 2 ? 1 : 2));
        }
        std::vector<std::byte> expected = cut(whole, shape, box), got(expected.size());
        Status status = reader.read(manifest.tensors(0), box, got.data());
        ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(got, expected);
        ++read;
      }
    }
  }
  EXPECT_EQ(read, 1 + 9 + 25 + 9 + 16 + 9);
}

TEST(Shards, DamageIsNamed) {
  std::string folder = emptyFolder("damage");
  abi::CheckpointManifest manifest = writeBlocks(folder, numbered(96), {12, 8}, {1, 1});
  const abi::CheckpointShard &shard = manifest.shards(0);
  std::string path = folder + "/rank-0", good = readAll(path);
  for (size_t bit = 0; bit < 8 * good.size(); bit += 7) {
    std::string bad = good;
    bad[bit / 8] = char(bad[bit / 8] ^ (1 << bit % 8));
    writeQuickly(path, bad);
    std::string message = verifyShard(folder, shard).message();
    EXPECT_TRUE(message.starts_with(path + ": damaged: expected the hash ")) << message;
  }
  ASSERT_TRUE(abi::writeFile(path, good.substr(1)).ok());
  EXPECT_EQ(verifyShard(folder, shard).message(), path + ": damaged: expected " +
                                                      std::to_string(good.size()) + " bytes, got " +
                                                      std::to_string(good.size() - 1));
  std::vector<std::byte> all(96);
  SliceReader reader(folder, manifest);
  EXPECT_EQ(reader.read(manifest.tensors(0), {{0, 0}, {12, 8}}, all.data()).message(),
            path + ": damaged: the file ends too early");
  std::filesystem::remove(path);
  EXPECT_EQ(verifyShard(folder, shard).message(),
            path + ": cannot open: No such file or directory");
}

// A shard without its last blocks on the disk leaves no file.
TEST(Shards, UncommittedShardsDisappear) {
  std::string folder = emptyFolder("uncommitted");
  abi::CheckpointShard shard;
  shard.set_file("rank-0");
  {
    Expected<ShardWriter> writer = ShardWriter::create(folder, shard, /*bytes=*/5);
    ASSERT_TRUE(bool(writer) && writer->append("bytes").ok());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(Shards, NoSpaceIsAnErrorBeforeTheFirstByte) {
  std::string folder = emptyFolder("no-space");
  abi::CheckpointShard shard;
  shard.set_file("rank-0");
  Expected<ShardWriter> writer = ShardWriter::create(folder, shard, uint64_t(1) << 60);
  ASSERT_FALSE(bool(writer));
  EXPECT_NE(writer.status().message().find("rank-0: cannot write: "), std::string::npos)
      << writer.status().message();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

} // namespace
} // namespace pcc::test
