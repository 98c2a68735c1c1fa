// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/formats/Formats.h"
#include "test/unit/runtime/data/DataFiles.h"

#include <algorithm>

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns a record of the file: its labels, then an image whose bytes are all `pixel`.
std::string record(const std::string &labels, char pixel) {
  return labels + std::string(3072, pixel);
}

class Cifar : public DataFiles {
protected:
  Expected<Dataset> open(DataPurpose purpose) { return openDataset(folder, purpose, {}); }
  /// Returns the error message without the leading path.
  std::string errorOf(const std::string &path) {
    std::string message = open(DataPurpose::Training).status().message();
    return message.substr(std::min(message.size(), path.size() + 2));
  }
};

// CIFAR-10: training batches in the order of their names, and the test batch.
TEST_F(Cifar, ReadsTenClasses) {
  write("data_batch_2.bin", record("\7", 'c'));
  write("data_batch_1.bin", record("\1", 'a') + record("\2", 'b'));
  write("test_batch.bin", record("\5", 't'));
  Expected<Dataset> data = open(DataPurpose::Training);
  ASSERT_TRUE(bool(data)) << data.status().message();
  ASSERT_EQ(data->rows, 3);
  ASSERT_EQ(data->fields.size(), 2u);
  EXPECT_EQ(data->fields[0].name, "image");
  EXPECT_EQ(data->fields[0].rowShape, (std::vector<int64_t>{3, 32, 32}));
  EXPECT_EQ(rowOf(data->fields[0], 2), std::string(3072, 'c'));
  EXPECT_EQ(data->fields[1].integerAt(1, 0), 2);
  EXPECT_EQ(open(DataPurpose::Evaluation)->fields[1].integerAt(0, 0), 5);
}

// CIFAR-100 has two labels. The fine label is named `label` and comes first.
TEST_F(Cifar, ReadsAHundredClasses) {
  write("train.bin", record("\3\143", 'a'));
  write("test.bin", record("\4\1", 'b') + record("\4\2", 'b'));
  Expected<Dataset> data = open(DataPurpose::Training);
  ASSERT_TRUE(bool(data)) << data.status().message();
  EXPECT_EQ(data->fields[1].name, "label");
  EXPECT_EQ(data->fields[1].integerAt(0, 0), 99);
  EXPECT_EQ(data->fields[2].name, "coarse_label");
  EXPECT_EQ(data->fields[2].integerAt(0, 0), 3);
  EXPECT_EQ(rowOf(data->fields[0], 0), std::string(3072, 'a'));
  EXPECT_EQ(open(DataPurpose::Evaluation)->rows, 2);
}

TEST_F(Cifar, NamesWhatIsWrong) {
  std::string path = write("data_batch_1.bin", record("\1", 'a').substr(1));
  EXPECT_EQ(errorOf(path),
            "expected records of 3073 bytes (1 of labels, 3072 of an image), got 3072 bytes");
  write("data_batch_1.bin", "");
  EXPECT_EQ(errorOf(path),
            "expected records of 3073 bytes (1 of labels, 3072 of an image), got 0 bytes");
  write("data_batch_1.bin", record("\1", 'a') + record("\12", 'b'));
  EXPECT_EQ(errorOf(path), "record 1: expected a label below 10, got 10");
  std::filesystem::remove(path);
  path = write("train.bin", record("\24\1", 'a'));
  EXPECT_EQ(errorOf(path), "record 0: expected a coarse_label below 20, got 20");
}

} // namespace
} // namespace pcc::test
