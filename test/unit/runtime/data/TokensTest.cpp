// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/batches/CheckValues.h"
#include "runtime/data/formats/Formats.h"
#include "test/unit/runtime/Programs.h"
#include "test/unit/runtime/data/DataFiles.h"

#include <numeric>

namespace pcc::test {
namespace {

using namespace runtime;

template <typename T> std::string fileOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

/// Returns an index of Megatron.
std::string indexOf(int type, const std::vector<int32_t> &lengths,
                    const std::vector<int64_t> &positions) {
  std::vector<uint64_t> counts = {lengths.size(), lengths.size() + 1};
  std::vector<int64_t> boundaries(lengths.size() + 1);
  std::iota(boundaries.begin(), boundaries.end(), 0);
  return std::string("MMIDIDX\0\0", 9) + fileOf<uint64_t>({1}) + char(type) + fileOf(counts) +
         fileOf(lengths) + fileOf(positions) + fileOf(boundaries);
}

class Tokens : public DataFiles {
protected:
  static std::vector<int64_t> rowOf(const Field &field, int64_t row) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < field.rowElements(); ++i)
      values.push_back(field.integerAt(row, i));
    return values;
  }
  /// Returns the tokens of all windows of two, or an error without the path of the folder.
  std::string read(const std::string &spec, DataPurpose purpose = DataPurpose::Training) {
    Expected<Dataset> data = readTokens(spec, 2, purpose);
    if (!data) {
      std::string message = data.status().message();
      for (size_t at; (at = message.find(folder + "/")) != std::string::npos;)
        message.erase(at, folder.size() + 1);
      return message;
    }
    std::string text;
    for (int64_t row = 0; row < data->rows; ++row)
      text += fmt::format("{}>{};", fmt::join(rowOf(data->fields[0], row), ","),
                          rowOf(data->fields[1], row)[1]);
    return text;
  }
};

// Windows run through all files without gaps, and read over their ends.
TEST_F(Tokens, AreOneSequence) {
  std::string one = write("a.bin", fileOf<uint16_t>({1, 2, 3})), none = write("b.bin", ""),
              two = write("c.bin", fileOf<uint16_t>({65535, 5, 6, 7}));
  EXPECT_EQ(read(one + "," + none + "," + two), "1,2>3;3,65535>5;5,6>7;");
  EXPECT_EQ(read(folder), "1,2>3;3,65535>5;5,6>7;");
}

TEST_F(Tokens, HaveTheStatedType) {
  EXPECT_EQ(read("u32:" + write("a.bin", fileOf<uint32_t>({1, 70000, 3}))), "1,70000>3;");
  EXPECT_EQ(read("i64:" + write("a.bin", fileOf<int64_t>({1, -2, 3}))), "1,-2>3;");
  EXPECT_EQ(read("u8:" + write("a.bin", "abc")), "97,98>99;");
}

TEST_F(Tokens, FoldersHaveFilesForTrainingAndEvaluation) {
  write("train_1.bin", fileOf<uint16_t>({1, 2, 3}));
  write("train_2.bin", fileOf<uint16_t>({4, 5}));
  write("meta.pkl", "?");
  EXPECT_EQ(read(folder, DataPurpose::Evaluation),
            folder + ": expected files '*val*.bin' in the folder");
  write("val.bin", fileOf<uint16_t>({7, 8, 9}));
  EXPECT_EQ(read(folder), "1,2>3;3,4>5;");
  EXPECT_EQ(read(folder, DataPurpose::Evaluation), "7,8>9;");
}

TEST_F(Tokens, HaveTheTypeOfMegatronsIndex) {
  auto readAs = [&](int type, const std::string &bytes, int64_t width) {
    write("m.idx", indexOf(type, {2, 1}, {0, 2 * width}));
    return read(write("m.bin", bytes));
  };
  EXPECT_EQ(readAs(1, "abc", 1), "97,98>99;");
  EXPECT_EQ(readAs(2, "ab\xff", 1), "97,98>-1;");
  EXPECT_EQ(readAs(3, fileOf<int16_t>({1, 2, -3}), 2), "1,2>-3;");
  EXPECT_EQ(readAs(4, fileOf<int32_t>({1, 2, 100000}), 4), "1,2>100000;");
  EXPECT_EQ(readAs(5, fileOf<int64_t>({1, 2, 3}), 8), "1,2>3;");
  EXPECT_EQ(readAs(6, fileOf<double>({1, 2, 3}), 8), "1,2>3;");
  EXPECT_EQ(readAs(7, fileOf<float>({1, 2, 3}), 4), "1,2>3;");
  EXPECT_EQ(readAs(8, fileOf<uint16_t>({1, 2, 50000}), 2), "1,2>50000;");
}

// The index says which documents there are, and in which order.
TEST_F(Tokens, HaveTheDocumentsOfTheIndex) {
  std::string path = write("m.bin", fileOf<uint16_t>({1, 2, 3, 4, 5, 6, 7, 8}));
  write("m.idx", indexOf(8, {3, 0, 2}, {10, 0, 2}));
  EXPECT_EQ(read(path), "6,7>8;8,2>3;");
  write("m.idx", indexOf(8, {3, 2}, {10, 2}) + "ab"); // modes of the sequences
  EXPECT_EQ(read(path), "6,7>8;8,2>3;");
}

TEST_F(Tokens, NamesWhatIsWrongWithAnIndex) {
  std::string path = write("m.bin", fileOf<uint16_t>({1, 2, 3}));
  auto errorOf = [&](const std::string &index) {
    write("m.idx", index);
    return read(path);
  };
  std::string good = indexOf(8, {2, 1}, {0, 4});
  EXPECT_EQ(errorOf(""), "m.idx: not an index of Megatron");
  EXPECT_EQ(errorOf("x" + good), "m.idx: not an index of Megatron");
  std::string changed = good;
  changed[9] = 2;
  EXPECT_EQ(errorOf(changed), "m.idx: expected version 1 of Megatron's index, got 2");
  EXPECT_EQ(errorOf(indexOf(9, {}, {})), "m.idx: expected a type of tokens from 1 to 8, got 9");
  EXPECT_EQ(errorOf(good.substr(0, good.size() - 1)),
            "m.idx: expected tables of 2 sequences and 3 boundaries of documents, got 47 bytes; "
            "the file is truncated or too long");
  changed = good;
  changed[25] = char(0x80); // the number of sequences
  EXPECT_TRUE(errorOf(changed).starts_with("m.idx: expected tables of 9223372036854775810 "));
  auto place = [](int sequence, int length, int position) {
    return fmt::format("m.idx: sequence {}: expected a place in the 6 bytes of tokens of 2 bytes "
                       "each, got {} tokens from byte {} on",
                       sequence, length, position);
  };
  EXPECT_EQ(errorOf(indexOf(8, {2, 2}, {0, 4})), place(1, 2, 4));
  EXPECT_EQ(errorOf(indexOf(8, {-1}, {0})), place(0, -1, 0));
  EXPECT_EQ(errorOf(indexOf(8, {1}, {-2})), place(0, 1, -2));
  EXPECT_EQ(errorOf(indexOf(8, {1}, {3})), place(0, 1, 3));
}

// Whatever an index says, windows lie in the file.
TEST_F(Tokens, DamagedIndexesDoNoHarm) {
  std::string path = write("m.bin", fileOf<uint16_t>({1, 2, 3, 4, 5, 6}));
  std::string good = indexOf(8, {2, 3, 1}, {0, 4, 10});
  for (size_t place = 0; place < good.size(); ++place)
    for (int flipped : {0x01, 0x04, 0x80, 0xff}) {
      std::string damaged = good;
      damaged[place] = char(damaged[place] ^ flipped);
      write("m.idx", damaged);
      (void)read(path);
      write("m.idx", good.substr(0, place));
      EXPECT_TRUE(read(path).starts_with("m.idx: ")) << place;
    }
}

TEST_F(Tokens, NamesWhatIsWrong) {
  std::string path = write("a.bin", fileOf<uint16_t>({1, 2}));
  EXPECT_EQ(read(path), "tokens:a.bin: expected at least 3 tokens, a row of 2 and the token after "
                        "it, got 2");
  EXPECT_EQ(read(write("odd.bin", "abc")), "odd.bin: expected tokens of 2 bytes, got 3 bytes");
  EXPECT_EQ(read(folder + "/nowhere.bin"), "nowhere.bin: cannot open: No such file or directory");
  EXPECT_EQ(read(folder + "/a.bin.gz"),
            "a.bin.gz: expected a file that can be mapped; 'gunzip' decompresses it");
  EXPECT_EQ(read("/dev/null"), "/dev/null: expected a file, got a pipe or a device");
  write("m.idx", indexOf(4, {1}, {0}));
  std::string other = write("m.bin", fileOf<int32_t>({1}));
  EXPECT_EQ(read(path + "," + other), "m.idx: expected tokens of u16, as in 'a.bin', got i32");
  EXPECT_EQ(read("u32:" + other), "m.idx: expected tokens of u32, as 'tokens:u32:' says, got i32");
  std::filesystem::create_directories(folder + "/below");
  EXPECT_EQ(read(folder + "/below"), "below: expected files '*train*.bin' in the folder");
}

/// A program whose inputs are windows of two tokens below 10, and their successors.
abi::Program programOfTokens() {
  ProgramBuilder builder(1);
  for (const char *name : {"tokens", "labels"}) {
    builder.input(name, abi::I64, 2, {2});
    abi::Input &input = *builder.program.mutable_inputs()->rbegin();
    input.mutable_range()->set_least(0);
    input.mutable_range()->set_greatest(9);
  }
  return builder.program;
}

// Small files are checked at once, others when rows are read.
TEST_F(Tokens, NamesFileAndPositionOfAnIllegalOne) {
  std::string one = write("a.bin", fileOf<uint16_t>({1, 2, 3})),
              two = write("b.bin", fileOf<uint16_t>({4, 5, 6, 10, 7, 8}));
  abi::Program program = programOfTokens();
  Dataset data = *openDataset("tokens:" + one + "," + two, DataPurpose::Training, program);
  std::string error =
      two + ": token 3: expected integers from 0 to 9 for the input 'tokens', got 10";
  EXPECT_EQ(bindCheckedFields(data, program, DataPurpose::Training).status().message(), error);
  auto bound = bindCheckedFields(data, program, DataPurpose::Training, /*maxBytes=*/0);
  ASSERT_TRUE(bool(bound)) << bound.status().message();
  ASSERT_TRUE((*bound)[0].legal.has_value());
  EXPECT_TRUE((*bound)[0].legal->check(data.name, data.fields[0], 2, 0, 2).ok());
  EXPECT_EQ((*bound)[0].legal->check(data.name, data.fields[0], 3, 0, 2).message(), error);
  EXPECT_EQ((*bound)[1].legal->check(data.name, data.fields[1], 2, 0, 2).message(),
            two + ": token 3: expected integers from 0 to 9 for the input 'labels', got 10");
}

// A type whose values are all legal needs no check.
TEST_F(Tokens, AreCheckedOnlyIfTheyCanBeIllegal) {
  abi::Program program = programOfTokens();
  Dataset data = *openDataset("tokens:u8:" + write("a.bin", "abc"), DataPurpose::Training, program);
  EXPECT_FALSE(bindCheckedFields(data, program, DataPurpose::Training).status().ok());
  for (abi::Input &input : *program.mutable_inputs())
    input.mutable_range()->set_greatest(255);
  auto bound = bindCheckedFields(data, program, DataPurpose::Training);
  ASSERT_TRUE(bool(bound)) << bound.status().message();
  EXPECT_FALSE((*bound)[0].legal.has_value());
}

} // namespace
} // namespace pcc::test
