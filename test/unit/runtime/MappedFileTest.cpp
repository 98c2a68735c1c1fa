// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/MappedFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sys/resource.h>
#include <vector>

namespace pcc::test {
namespace {

using namespace runtime;

class Mapped : public testing::Test {
protected:
  void TearDown() override { std::filesystem::remove(path); }
  std::shared_ptr<const MappedFile> open(const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
    Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
    EXPECT_TRUE(bool(file)) << file.status().message();
    return *file;
  }
  static int sum(std::span<const std::byte> bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), 0,
                           [](int total, std::byte own) { return total + int(own); });
  }
  /// Returns the resident bytes of the process's files, without the memory of sanitizers.
  static int64_t residentBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
      if (int64_t kibibytes = 0; word == "RssFile:" && status >> kibibytes)
        return kibibytes << 10;
    ADD_FAILURE() << "/proc/self/status has no RssFile";
    return 0;
  }

  const std::string path = testing::TempDir() + "/pcc_mapped_file";
};

TEST_F(Mapped, HasTheBytes) {
  auto file = open("abc");
  EXPECT_EQ(sum(file->bytes()), 'a' + 'b' + 'c');
  EXPECT_TRUE(file->finishRead(3).ok());
  EXPECT_EQ(file->path(), path);
  auto empty = open("");
  EXPECT_TRUE(empty->bytes().empty());
  EXPECT_TRUE(empty->finishRead(0).ok());
}

TEST_F(Mapped, NamesWhatCannotBeMapped) {
  EXPECT_EQ(MappedFile::open(path).status().message(),
            path + ": cannot open: No such file or directory");
  EXPECT_EQ(MappedFile::open(testing::TempDir()).status().message(),
            testing::TempDir() + ": expected a file, got a folder");
  EXPECT_EQ(MappedFile::open("/dev/null").status().message(),
            "/dev/null: expected a file, got a pipe or a device");
}

TEST_F(Mapped, OpensMoreFilesThanTheDefaultLimit) {
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  if (before.rlim_max < 500)
    GTEST_SKIP() << "the hard limit is " << before.rlim_max << " files";
  rlimit low = {100, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  std::vector<std::shared_ptr<const MappedFile>> files;
  for (int number = 0; number < 200; ++number)
    files.push_back(open("abc"));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(sum(files.back()->bytes()), 'a' + 'b' + 'c');
}

// Another program truncates the file. Pages that are gone read as zeros, and the process lives.
TEST_F(Mapped, SurvivesATruncatedFile) {
  auto file = open(std::string(1 << 20, 'x')), other = open(std::string(1 << 20, 'y'));
  std::filesystem::resize_file(path, 5000);
  EXPECT_EQ(sum(file->bytes().subspan(4096)), (5000 - 4096) * 'y');
  Status status = file->finishRead(10);
  EXPECT_EQ(status.kind(), StatusKind::BadInput);
  EXPECT_EQ(status.message(), path + ": expected 1048576 bytes, as when the file was opened, got "
                                     "5000; a file must not change while it is read");
  // The file has its size again, but what was read is wrong.
  std::filesystem::resize_file(path, 1 << 20);
  EXPECT_EQ(file->finishRead(10).message(),
            path + ": cannot read a part of the file: it was changed, or its disk has an error");
  EXPECT_TRUE(other->finishRead(10).ok());
  other = nullptr;
  EXPECT_TRUE(open("again")->finishRead(5).ok());
}

// Other accesses end the process as before.
TEST_F(Mapped, LeavesOtherSignalsAlone) {
  auto file = open("abc");
  EXPECT_DEATH(raise(SIGBUS), "");
}

// A file of a gibibyte without blocks: what was read does not stay in memory.
TEST_F(Mapped, KeepsResidentMemoryConstant) {
  open("");
  std::filesystem::resize_file(path, int64_t(1) << 30);
  auto file = *MappedFile::open(path);
  int64_t before = residentBytes(), most = 0;
  constexpr size_t part = 1 << 20;
  for (size_t begin = 0; begin < file->bytes().size(); begin += part) {
    EXPECT_EQ(sum(file->bytes().subspan(begin, part)), 0);
    EXPECT_TRUE(file->finishRead(part).ok());
    most = std::max(most, residentBytes());
  }
  EXPECT_LT(most - before, 48 << 20);
}

} // namespace
} // namespace pcc::test
