// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/WholeFile.h"
#include "test/unit/runtime/Programs.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace pcc::test {
namespace {

using abi::Executable;
using abi::Expected;
using google::protobuf::util::MessageDifferencer;

/// Returns a small program without its native code, so that its file is short.
Executable smallExecutable() {
  Executable executable = makeMlp({.ranks = 2, .batch = 4, .widths = {6, 5, 3}});
  executable.mutable_object()->set_elf("no code");
  return executable;
}

std::string errorOf(const std::string &bytes) {
  Expected<Executable> read = abi::parseExecutable(bytes);
  return read ? "" : read.status().message();
}

TEST(Executable, ReadsBackIdentically) {
  Executable executable = smallExecutable();
  Expected<Executable> read = abi::parseExecutable(abi::serialize(executable));
  ASSERT_TRUE(bool(read)) << read.status().message();
  EXPECT_TRUE(MessageDifferencer::Equals(executable, *read));
  EXPECT_EQ(abi::serialize(*read), abi::serialize(executable));
}

TEST(Executable, EveryDamagedByteIsFound) {
  std::string bytes = abi::serialize(smallExecutable());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[i] = char(damaged[i] ^ (1 << bit));
      EXPECT_NE(errorOf(damaged), "") << "byte " << i;
    }
}

TEST(Executable, EveryTruncationIsFound) {
  std::string bytes = abi::serialize(smallExecutable());
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(errorOf(bytes.substr(0, length)), "") << length << " bytes";
  EXPECT_NE(errorOf(bytes + "x"), "");
}

TEST(Executable, HeaderErrorsSayWhatIsWrong) {
  std::string bytes = abi::serialize(smallExecutable());
  EXPECT_EQ(errorOf("short"), "not a pcc executable: expected at least 32 bytes, got 5");
  EXPECT_EQ(errorOf("X" + bytes.substr(1)),
            "not a pcc executable: the first 8 bytes are not 'pcc.pcx'");
  std::string newer = bytes;
  newer[8] = 9;
  EXPECT_EQ(errorOf(newer), "expected version 5, got 9; compile the model again");
  std::string older = bytes; // constants within the message
  older[8] = 4;
  EXPECT_EQ(errorOf(older), "expected version 5, got 4; compile the model again");
  EXPECT_EQ(errorOf(bytes.substr(0, bytes.size() - 1)),
            "header: expected " + std::to_string(bytes.size() - 32) + " bytes behind it, got " +
                std::to_string(bytes.size() - 33));
  EXPECT_EQ(errorOf(bytes + "x"), "expected a file of " + std::to_string(bytes.size()) +
                                      " bytes, got " + std::to_string(bytes.size() + 1));
  std::string larger = bytes;
  larger[23] = 1;
  EXPECT_TRUE(errorOf(larger).starts_with(
      "header: expected a message of at most 2147483647 bytes, got 72057594037"))
      << errorOf(larger);
  std::string damaged = bytes;
  damaged.back() = char(damaged.back() + 1);
  EXPECT_TRUE(errorOf(damaged).starts_with("damaged: expected fingerprint "));
}

// Random bytes after a valid header: a parsed message must be refused or be valid. Nothing crashes.
TEST(Executable, ForgedMessagesNeverCrash) {
  std::string message;
  ASSERT_TRUE(smallExecutable().SerializeToString(&message));
  std::mt19937 random(1);
  auto below = [&](size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  };
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string forged = message;
    for (size_t changes = 1 + below(3); changes > 0; --changes)
      forged[below(forged.size())] = char(below(256));
    Executable executable;
    if (executable.ParseFromString(forged))
      accepted += errorOf(abi::serialize(executable)).empty();
  }
  std::cout << accepted << " of 4000 forged messages are valid programs, seed 1\n";
}

TEST(Executable, WritesWholeFilesOnly) {
  std::filesystem::path folder = testing::TempDir() + "/pcc_executable_test";
  std::filesystem::create_directories(folder);
  std::string path = folder / "a.pcx";
  ASSERT_TRUE(abi::writeExecutable(smallExecutable(), path).ok());
  EXPECT_TRUE(bool(abi::readExecutable(path)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  abi::Status status = abi::writeExecutable(smallExecutable(), folder / "none" / "a.pcx");
  EXPECT_EQ(status.message(),
            (folder / "none" / "a.pcx").string() + ": cannot write: No such file or directory");
  std::filesystem::remove_all(folder);
}

// A file that a killed writer left is removed by the next one; that of a running writer stays.
TEST(Executable, RemovesAbandonedTemporaryFiles) {
  std::filesystem::path folder = testing::TempDir() + "/pcc_abandoned_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::string path = folder / "a.pcx";
  std::ofstream(path + ".0123456789abcdef.part") << "half";
  std::ofstream(path + ".note.part") << "of another program";
  Expected<abi::FileWriter> running = abi::FileWriter::create(path);
  ASSERT_TRUE(bool(running));
  EXPECT_FALSE(std::filesystem::exists(path + ".0123456789abcdef.part"));
  ASSERT_TRUE(abi::writeExecutable(smallExecutable(), path).ok());
  ASSERT_TRUE(running->append("new").ok());
  ASSERT_TRUE(running->commit().ok());
  EXPECT_EQ(std::filesystem::file_size(path), 3u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
  std::filesystem::remove_all(folder);
}

// Protobuf's size limit is reported when the program is written, not when it is read.
TEST(Executable, TooLargeToWriteIsAnError) {
  if (!std::getenv("PCC_TEST_FULL"))
    GTEST_SKIP() << "takes 2 GiB of memory";
  Executable executable = smallExecutable();
  executable.mutable_object()->set_elf(std::string(size_t(1) << 31, '\0'));
  std::string path = testing::TempDir() + "/large.pcx";
  abi::Status status = abi::writeExecutable(std::move(executable), path);
  EXPECT_TRUE(status.message().starts_with(
      path + ": expected a program of at most 2147483647 bytes without its data, got 2147"))
      << status.message();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Executable, MissingFileIsNamed) {
  Expected<Executable> read = abi::readExecutable("/nowhere/a.pcx");
  ASSERT_FALSE(bool(read));
  EXPECT_EQ(read.status().message(), "/nowhere/a.pcx: cannot open: No such file or directory");
  EXPECT_EQ(read.status().exitCode(), 1);
}

} // namespace
} // namespace pcc::test
