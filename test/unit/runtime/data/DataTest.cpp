// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/ReadDecompressed.h"
#include "runtime/data/batches/BatchReader.h"
#include "runtime/data/formats/Formats.h"
#include "test/unit/runtime/Programs.h"
#include "test/unit/runtime/data/DataFiles.h"

#include <cstring>
#include <filesystem>

namespace pcc::test {
namespace {

using namespace runtime;

TEST_F(DataFiles, ReadsPlainAndPacked) {
  std::string bytes = idx({2, 3}, "abcdef");
  for (const std::string &path : {write("plain", bytes), writePacked("packed.gz", bytes)}) {
    Expected<IdxTensor> tensor = readIdx(path);
    ASSERT_TRUE(bool(tensor)) << tensor.status().message();
    EXPECT_EQ(tensor->shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(char(tensor->values[4]), 'e');
  }
}

TEST_F(DataFiles, NamesWhatIsWrong) {
  auto errorOf = [&](const std::string &bytes) {
    std::string path = write("bad", bytes), message = readIdx(path).status().message();
    return message.substr(std::min(message.size(), path.size() + 2));
  };
  EXPECT_EQ(errorOf("hello"), "not an IDX file");
  EXPECT_EQ(errorOf(idx({4}, "abcd", 13)), "expected elements of type 8 (unsigned bytes), got 13");
  EXPECT_EQ(errorOf(idx({4}, "abc")), "expected 4 elements, got 3");
  EXPECT_EQ(errorOf(idx({4}, "abcde")), "expected 4 elements, got 5");
  EXPECT_EQ(errorOf(idx({1 << 30, 1 << 30, 1 << 30}, "")), "expected too many elements, got 0");
  EXPECT_EQ(errorOf(idx({4, 4}, "").substr(0, 8)), "expected 2 extents, got 8 bytes");
  EXPECT_EQ(readIdx(folder + "/none").status().message(),
            folder + "/none: cannot open: No such file or directory");
  EXPECT_EQ(readIdx(folder).status().message(), folder + ": expected a file, got a folder");
}

TEST_F(DataFiles, GzipHasALimit) {
  std::string path = writePacked("large.gz", std::string(5000, 'x'));
  EXPECT_EQ(readDecompressed(path, 5000)->size(), 5000u);
  EXPECT_EQ(readDecompressed(path, 4999).status().message(),
            path + ": expected at most 4999 bytes after decompression, got more");
}

TEST_F(DataFiles, TruncatedGzipIsAnError) {
  std::string path = writePacked("packed.gz", idx({1000}, std::string(1000, 'x')));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_TRUE(readIdx(path).status().message().starts_with(path + ": "));
}

TEST_F(DataFiles, OpensMnistsNames) {
  writePacked("train-images-idx3-ubyte.gz", idx({3, 1, 2}, "abcdef"));
  writePacked("train-labels-idx1-ubyte.gz", idx({3}, std::string("\1\2\0", 3)));
  Expected<Dataset> data = openDataset(folder, DataPurpose::Training, {});
  ASSERT_TRUE(bool(data)) << data.status().message();
  EXPECT_EQ(data->rows, 3);
  EXPECT_EQ(data->fields[1].integerAt(1, 0), 2);
  float pixel;
  data->fields[0].read(2, 1, 1, abi::F32, reinterpret_cast<std::byte *>(&pixel));
  EXPECT_FLOAT_EQ(pixel, 'f' / 255.0f);
  EXPECT_EQ(openDataset(folder, DataPurpose::Evaluation, {}).status().message(),
            folder + ": expected 'test-images-idx3-ubyte' or the same with '.gz', "
                     "'test_batch.bin' or 'test.bin' in the folder");
  EXPECT_EQ(openDataset(folder + "/none", DataPurpose::Training, {}).status().message(),
            folder + "/none: no such file or folder");
}

TEST_F(DataFiles, LabelsOfAnotherLengthAreAnError) {
  std::string images = write("images", idx({3, 1, 2}, "abcdef")),
              labels = write("labels", idx({2}, "ab"));
  EXPECT_EQ(openDataset(images + "," + labels, DataPurpose::Training, {}).status().message(),
            labels + ": expected 3 labels, one for each image of '" + images + "', got 2");
}

/// Returns rows of two numbers: row r is (10 r, 10 r + 1), with label r.
Dataset countingData(int64_t rows) {
  Dataset data{.name = "counting", .rows = rows, .fields = {}};
  std::vector<std::byte> images(rows * 8), labels(rows * 8);
  for (int64_t r = 0; r < rows; ++r) {
    float row[] = {float(10 * r), float(10 * r + 1)};
    std::memcpy(images.data() + r * 8, row, 8);
    std::memcpy(labels.data() + r * 8, &r, 8);
  }
  data.fields = {{"image", Storage::F32, {2}, std::move(images)},
                 {"label", Storage::I64, {}, std::move(labels)}};
  return data;
}

struct ReadRows {
  std::vector<float> image;
  std::vector<int64_t> label;
};

ReadRows readRank(const Dataset &data, const abi::Executable &executable, int64_t rank,
                  const BatchPlace &place) {
  const abi::Program &program = executable.programs(0);
  int64_t rows = program.inputs(0).block().local_shape(0);
  ReadRows result{std::vector<float>(rows * 2), std::vector<int64_t>(rows)};
  BatchReader reader(data, *bindCheckedFields(data, program, DataPurpose::Training), executable,
                     rank);
  Status status = reader.read(
      place,
      [&](const abi::Input &input) {
        return input.name() == "image" ? reinterpret_cast<std::byte *>(result.image.data())
                                       : reinterpret_cast<std::byte *>(result.label.data());
      },
      [](int64_t count, const auto &body) { body(0, count); });
  EXPECT_TRUE(status.ok()) << status.message();
  return result;
}

TEST(BatchReader, GivesEachRankItsRows) {
  Dataset data = countingData(20);
  abi::Executable executable = makeMlp({.ranks = 2, .batch = 4, .widths = {2, 3}});
  ReadRows rows = readRank(data, executable, 1, {.firstRow = 8});
  EXPECT_EQ(rows.label, (std::vector<int64_t>{10, 11}));
  EXPECT_EQ(rows.image, (std::vector<float>{100, 101, 110, 111}));
}

TEST(BatchReader, FillsUpWithZeros) {
  Dataset data = countingData(3);
  abi::Executable executable = makeMlp({.ranks = 2, .batch = 4, .widths = {2, 3}});
  EXPECT_EQ(readRank(data, executable, 1, {}).label, (std::vector<int64_t>{2, 0}));
}

// An input that is also cut along its columns: each rank gets its own columns of all rows.
TEST(BatchReader, CutsOtherDimensions) {
  Dataset data = countingData(4);
  abi::Executable executable = makeMlp({.ranks = 1, .batch = 4, .widths = {2, 3}});
  abi::Block &block = *executable.mutable_programs(0)->mutable_inputs(0)->mutable_block();
  block.set_local_shape(1, 1);
  block.mutable_offsets(1)->set_constant(1);
  ReadRows rows = readRank(data, executable, 0, {});
  rows.image.resize(4);
  EXPECT_EQ(rows.image, (std::vector<float>{1, 11, 21, 31}));
}

TEST(BindFields, NamesWhatDoesNotFit) {
  Dataset data = countingData(4);
  abi::Executable executable = makeMlp({.ranks = 1, .batch = 4, .widths = {5, 3}});
  EXPECT_EQ(bindFields(data, executable.programs(0)).status().message(),
            "counting: expected rows of shape [5] for the input 'image', got [2] in the field "
            "'image'");
  data.fields.pop_back();
  EXPECT_EQ(
      bindFields(data, makeMlp({.batch = 4, .widths = {2, 3}}).programs(0)).status().message(),
      "counting: no field is left for the input 'label' of i64");
}

/// Returns the error message for rows of shape `got` and an input whose rows have shape `expected`.
std::string bindShapes(std::vector<int64_t> got, const std::vector<int64_t> &expected,
                       bool isShaped) {
  abi::Program program;
  abi::Input &input = *program.add_inputs();
  input.set_name("x");
  input.mutable_block()->set_type(abi::F32);
  input.mutable_block()->add_global_shape(4);
  for (int64_t extent : expected)
    input.mutable_block()->add_global_shape(extent);
  Dataset data{.name = "data", .rows = 1, .fields = {}};
  data.fields.push_back({"x", Storage::F32, std::move(got), {}, "x.npy", isShaped});
  return bindFields(data, program).status().message();
}

TEST(BindFields, FilesThatStateShapesMustHaveThem) {
  EXPECT_EQ(bindShapes({3, 32, 32}, {3, 32, 32}, true), "");
  EXPECT_EQ(bindShapes({32, 32, 3}, {3, 32, 32}, true),
            "x.npy: expected rows of shape [3, 32, 32] for the input 'x', got [32, 32, 3] in the "
            "field 'x'; numpy.transpose changes the order of dimensions");
  EXPECT_EQ(bindShapes({1}, {}, true), "x.npy: expected rows of shape [] for the input 'x', got "
                                       "[1] in the field 'x'; numpy.reshape changes the shape");
  EXPECT_EQ(bindShapes({784}, {28, 28}, true),
            "x.npy: expected rows of shape [28, 28] for the input 'x', got [784] in the field "
            "'x'; numpy.reshape changes the shape");
  EXPECT_EQ(bindShapes({2}, {3}, true),
            "x.npy: expected rows of shape [3] for the input 'x', got [2] in the field 'x'");
}

TEST(BindFields, OtherFormatsMayBeRegroupedButNotTransposed) {
  EXPECT_EQ(bindShapes({28, 28}, {1, 28, 28}, false), "");
  EXPECT_EQ(bindShapes({28, 28}, {784}, false), "");
  EXPECT_EQ(bindShapes({784}, {28, 28, 1}, false), "");
  EXPECT_EQ(bindShapes({}, {1}, false), "");
  EXPECT_NE(bindShapes({3, 32, 32}, {32, 32, 3}, false), "");
  EXPECT_NE(bindShapes({4, 6}, {6, 4}, false), "");
  EXPECT_NE(bindShapes({4, 6}, {8, 3}, false), "");
  EXPECT_NE(bindShapes({4, 6}, {4}, false), "");
}

TEST(Synthetic, FitsTheProgram) {
  abi::Executable executable = makeMlp({.ranks = 1, .batch = 4, .widths = {5, 3}});
  Dataset data = makeSyntheticDataset(executable.programs(0), 50, 1);
  EXPECT_TRUE(bool(bindFields(data, executable.programs(0))));
  for (int64_t r = 0; r < 50; ++r)
    EXPECT_LT(data.fields[1].integerAt(r, 0), 3);
}

} // namespace
} // namespace pcc::test
