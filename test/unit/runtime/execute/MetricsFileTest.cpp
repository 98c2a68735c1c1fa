// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/monitor/files/MetricsFile.h"
#include "runtime/abi/files/WholeFile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace pcc::test {
namespace {

using namespace runtime;

class MetricsFileTest : public testing::Test {
protected:
  std::string path = fmt::format("{}/metrics-{}.jsonl", testing::TempDir(), getpid());
  std::vector<std::string> warnings;
  AppendedFile::Warn warn = [this](const std::string &text) { warnings.push_back(text); };

  void TearDown() override { std::filesystem::remove(path); }
  std::string content() const { return *abi::readFile(path); }
};

TEST_F(MetricsFileTest, NumbersAreValidJson) {
  MetricRecord record{.step = 3, .epoch = 2, .time = 1.5};
  record.add("loss", 0.1);
  record.add("memory", 12345678901234);
  record.add("small", 1e-300);
  EXPECT_EQ(jsonLineOf(record),
            "{\"step\":3,\"epoch\":2,\"loss\":0.1,\"memory\":12345678901234,\"small\":1e-300,"
            "\"time\":1.500000}\n");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  MetricRecord odd{.step = 1, .epoch = 1, .group = "eval"};
  odd.add("a", std::nan(""));
  odd.add("b", infinity);
  odd.add("c", -infinity);
  EXPECT_EQ(jsonLineOf(odd), "{\"step\":1,\"epoch\":1,\"eval_a\":\"NaN\",\"eval_b\":\"Infinity\","
                             "\"eval_c\":\"-Infinity\",\"time\":0.000000}\n");
}

TEST_F(MetricsFileTest, KeepsTheLinesUpToTheStart) {
  std::string lines, other = "a line of somebody else\n";
  for (int64_t step : {1, 2, 3, 3})
    lines += jsonLineOf({.step = step, .epoch = 1});
  for (auto [start, kept] : {std::pair<int64_t, std::string>{3, other + lines},
                             {4, other + lines},
                             {2, other + lines.substr(0, lines.size() / 2)},
                             {1, other + lines.substr(0, lines.size() / 4)},
                             {0, ""}}) {
    ASSERT_TRUE(abi::writeFile(path, other + lines + "{\"step\":1,\"epo").ok());
    ASSERT_TRUE(MetricsFile(path, warn).open(start).ok());
    EXPECT_EQ(content(), kept) << start;
  }
  EXPECT_TRUE(warnings.empty());
}

// The limit of the file's size is in the middle of the second entry.
TEST_F(MetricsFileTest, APartialEntryIsCutOff) {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  Expected<AppendedFile> file = AppendedFile::open(path, 0, warn);
  ASSERT_TRUE(file) << file.status().message();
  rlimit low = {.rlim_cur = 15, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &low);
  file->append("0123456789");
  file->append("abcdefghij");
  file->append("klm");
  file->append("nopqrstuvw");
  setrlimit(RLIMIT_FSIZE, &before);
  file->append("end");
  EXPECT_EQ(content(), "0123456789klmend");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("File too large; the run goes on"), std::string::npos) << warnings[0];
}

// The checksum of RFC 3720, appendix B.4, and one of the CRC catalogue.
TEST(EventFile, KnownChecksums) {
  EXPECT_EQ(crc32cOf(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32cOf("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32cOf(""), 0U);
}

// The first record of event files by TensorBoard's own writer begins with these 12 bytes.
TEST(EventFile, KnownFraming) {
  std::string record = tfRecordOf(std::string(24, 'x'));
  EXPECT_EQ(record.size(), 8U + 4 + 24 + 4);
  EXPECT_EQ(record.substr(0, 12), std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12));
}

TEST_F(MetricsFileTest, AClosedPipeIsAWarning) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Expected<AppendedFile> file = AppendedFile::open(fmt::format("/dev/fd/{}", ends[1]), 0, warn);
  ASSERT_TRUE(file) << file.status().message();
  close(ends[0]);
  file->append("nobody reads this");
  close(ends[1]);
  EXPECT_EQ(warnings.size(), 1U);
}

} // namespace
} // namespace pcc::test
