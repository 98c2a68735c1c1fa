// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/batches/BatchLoader.h"
#include "runtime/data/formats/Formats.h"
#include "test/unit/runtime/Programs.h"
#include "test/unit/runtime/data/DataFiles.h"

#include <cstring>
#include <thread>

namespace pcc::test {
namespace {

using namespace runtime;

/// Rows of one label, which is the row's number modulo 100; row 70 has the illegal label 100.
class Loader : public DataFiles {
protected:
  void SetUp() override {
    DataFiles::SetUp();
    std::vector<uint16_t> labels(101);
    for (size_t i = 0; i < labels.size(); ++i)
      labels[i] = uint16_t(i == 70 ? 100 : i % 100);
    std::string path =
        write("labels.bin", {reinterpret_cast<const char *>(labels.data()), labels.size() * 2});
    builder.input("labels", abi::I64, 2, {1});
    abi::Input &labelInput = *builder.program.mutable_inputs(0);
    labelInput.mutable_range()->set_least(0);
    labelInput.mutable_range()->set_greatest(99);
    data = *readTokens(path, 1, DataPurpose::Training);
  }

  /// Starts a loader of blocks of two places; place p of block b has two rows from 4 b + 2 p on.
  std::unique_ptr<BatchLoader> start(LoaderOptions options) {
    BatchReader reader(
        data, *bindCheckedFields(data, builder.program, DataPurpose::Training, /*maxBytes=*/0),
        builder.executable, 0);
    auto placesOf = [this](int64_t block) {
      ++asked;
      return std::vector<BatchPlace>{{.firstRow = 4 * block}, {.firstRow = 4 * block + 2}};
    };
    auto loader = BatchLoader::start(reader, placesOf, options);
    EXPECT_TRUE(bool(loader)) << loader.status().message();
    return std::move(*loader);
  }

  Status take(BatchLoader &loader) {
    return loader.take(
        [this](size_t place, const abi::Input &) {
          return reinterpret_cast<std::byte *>(taken.data() + 2 * place);
        },
        [](int64_t count, const auto &body) { body(0, count); });
  }

  ProgramBuilder builder{1};
  Dataset data;
  std::atomic<int64_t> asked = 0;
  std::vector<int64_t> taken = std::vector<int64_t>(4);
};

TEST_F(Loader, HasTheBlocksInOrder) {
  for (int64_t ahead : {0, 1, 2, 5}) {
    auto loader = start({.blocks = 17, .blocksAhead = ahead});
    for (int64_t block = 0; block < 17; ++block) {
      ASSERT_TRUE(take(*loader).ok());
      EXPECT_EQ(taken,
                (std::vector<int64_t>{4 * block, 4 * block + 1, 4 * block + 2, 4 * block + 3}));
    }
  }
}

// It reads before somebody asks, but no more than what fits.
TEST_F(Loader, ReadsAhead) {
  auto waitFor = [&](int64_t blocks) {
    while (asked < blocks)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return asked.load();
  };
  auto loader = start({.blocks = 10, .blocksAhead = 3});
  EXPECT_EQ(waitFor(1 + 3), 1 + 3); // start() asks once
  ASSERT_TRUE(take(*loader).ok());
  EXPECT_EQ(waitFor(1 + 4), 1 + 4);
  loader = nullptr;
  asked = 0;
  loader = start({.blocks = 10, .blocksAhead = 3, .maxBytes = 1});
  EXPECT_EQ(waitFor(1 + 1), 1 + 1);
}

// Without blocks ahead it reads what is asked for, with the threads of the caller.
TEST_F(Loader, ReadsOnRequest) {
  auto loader = start({.blocks = 10, .blocksAhead = 0});
  EXPECT_EQ(asked, 1); // start() asks once
  for (int64_t block = 0; block < 3; ++block) {
    ASSERT_TRUE(take(*loader).ok());
    EXPECT_EQ(asked, block + 2);
  }
}

// The blocks before an error are good, and it appears each time after them.
TEST_F(Loader, ReturnsTheErrorOfABlockInItsPlace) {
  for (int64_t ahead : {0, 5}) {
    auto loader = start({.blocks = 25, .blocksAhead = ahead});
    for (int64_t block = 0; block < 17; ++block)
      ASSERT_TRUE(take(*loader).ok());
    for (int repeated = 0; repeated < 2; ++repeated) {
      Status status = take(*loader);
      EXPECT_EQ(status.kind(), StatusKind::BadInput);
      EXPECT_EQ(status.message(),
                folder + "/labels.bin: token 70: expected integers from 0 to 99 for the input "
                         "'labels', got 100");
    }
  }
}

TEST_F(Loader, NamesATruncatedFile) {
  auto loader = start({.blocks = 25});
  ASSERT_TRUE(take(*loader).ok());
  std::filesystem::resize_file(folder + "/labels.bin", 4);
  Status status;
  for (int block = 0; block < 5 && status.ok(); ++block)
    status = take(*loader);
  EXPECT_EQ(status.message(), folder + "/labels.bin: expected 202 bytes, as when the file was "
                                       "opened, got 4; a file must not change while it is read");
}

TEST_F(Loader, EndsWithoutBeingAsked) {
  for (int64_t blocks : {0, 1, 17}) {
    asked = 0;
    start({.blocks = blocks, .blocksAhead = 4});
    EXPECT_LE(asked, 1 + std::min<int64_t>(blocks, 4)); // start() asks once
  }
}

TEST_F(Loader, ExceptionsAreErrors) {
  BatchReader reader(
      data, *bindCheckedFields(data, builder.program, DataPurpose::Training, /*maxBytes=*/0),
      builder.executable, 0);
  auto placesOf = [](int64_t block) {
    if (block == 1)
      throw std::bad_alloc();
    return std::vector<BatchPlace>(2);
  };
  auto loader = BatchLoader::start(reader, placesOf, {.blocks = 2});
  ASSERT_TRUE(take(**loader).ok());
  EXPECT_EQ(take(**loader).message(), "std::bad_alloc");
}

} // namespace
} // namespace pcc::test
