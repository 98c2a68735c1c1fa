// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/formats/Formats.h"
#include "test/unit/runtime/Programs.h"
#include "test/unit/runtime/data/DataFiles.h"

namespace pcc::test {
namespace {

using namespace runtime;

class Text : public DataFiles {};

// Windows run through all files without gaps; the last byte is only a label.
TEST_F(Text, CutsWindows) {
  std::string one = write("one", "abcd"), two = writePacked("two.gz", "efghi");
  Expected<Dataset> data = readText(one + "," + two, 3);
  ASSERT_TRUE(bool(data)) << data.status().message();
  ASSERT_EQ(data->rows, 2);
  EXPECT_EQ(rowOf(data->fields[0], 0), "abc");
  EXPECT_EQ(rowOf(data->fields[1], 0), "bcd");
  EXPECT_EQ(rowOf(data->fields[0], 1), "def");
  EXPECT_EQ(rowOf(data->fields[1], 1), "efg");
}

// Bytes above 127 are unsigned.
TEST_F(Text, BytesHaveNoSign) {
  Expected<Dataset> data = readText(write("one", "\xff\x80z"), 2);
  ASSERT_TRUE(bool(data));
  EXPECT_EQ(data->fields[0].integerAt(0, 0), 255);
  EXPECT_EQ(data->fields[1].integerAt(0, 0), 128);
}

TEST_F(Text, FoldersAreReadInTheOrderOfNames) {
  write("b", "cd");
  write("a", "ab");
  std::filesystem::create_directories(folder + "/below");
  Expected<Dataset> data = readText(folder, 3);
  ASSERT_TRUE(bool(data)) << data.status().message();
  EXPECT_EQ(rowOf(data->fields[0], 0), "abc");
}

TEST_F(Text, NamesWhatIsWrong) {
  std::string one = write("one", "abc"), none = write("none", "");
  EXPECT_EQ(readText(one, 3).status().message(),
            "text:" + one + ": expected at least 4 bytes, a row of 3 and the byte after it, got 3");
  EXPECT_EQ(readText(none, 1).status().message(),
            "text:" + none +
                ": expected at least 2 bytes, a row of 1 and the byte after it, got 0");
  EXPECT_EQ(readText(one + "," + folder + "/nowhere", 1).status().message(),
            folder + "/nowhere: cannot open: No such file or directory");
}

// The length of a row is that of the first integer input with positions.
TEST_F(Text, TakesItsLengthFromTheProgram) {
  std::string path = write("one", "abcdefghij");
  ProgramBuilder builder(1);
  builder.input("mask", abi::F32, 2, {7});
  builder.input("tokens", abi::I64, 2, {4});
  builder.input("targets", abi::I64, 2, {4});
  Expected<Dataset> data = openDataset("text:" + path, DataPurpose::Training, builder.program);
  ASSERT_TRUE(bool(data)) << data.status().message();
  EXPECT_EQ(data->rows, 2);
  EXPECT_EQ(data->fields[0].rowShape, std::vector<int64_t>{4});
  abi::Executable mlp = makeMlp({.batch = 4, .widths = {2, 3}});
  EXPECT_EQ(openDataset("text:" + path, DataPurpose::Training, mlp.programs(0)).status().message(),
            "text:" + path + ": expected a program with an input of integers [rows, positions]");
}

} // namespace
} // namespace pcc::test
