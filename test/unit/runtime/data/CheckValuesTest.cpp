// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/batches/CheckValues.h"

#include <cmath>
#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;

template <typename T> Dataset dataOf(Storage storage, const std::vector<T> &values) {
  Dataset data{.name = "data", .rows = int64_t(values.size()) / 2, .fields = {}};
  auto *bytes = reinterpret_cast<const std::byte *>(values.data());
  data.fields.push_back({"labels",
                         storage,
                         {2},
                         std::vector<std::byte>(bytes, bytes + values.size() * sizeof(T)),
                         "labels.npy",
                         true});
  return data;
}

/// Returns a program with one input: rows of two class numbers from 0 to 9.
abi::Program programOf(abi::ElementType type = abi::I64) {
  abi::Program program;
  abi::Input &input = *program.add_inputs();
  input.set_name("labels");
  input.mutable_block()->set_type(type);
  input.mutable_block()->add_global_shape(4);
  input.mutable_block()->add_global_shape(2);
  input.mutable_range()->set_least(0);
  input.mutable_range()->set_greatest(9);
  return program;
}

std::string check(const Dataset &data, const abi::Program &program,
                  DataPurpose purpose = DataPurpose::Training) {
  return bindCheckedFields(data, program, purpose).status().message();
}

TEST(CheckValues, NamesFileRowAndRange) {
  abi::Program program = programOf();
  EXPECT_EQ(check(dataOf<int64_t>(Storage::I64, {0, 9, 5, 3}), program), "");
  EXPECT_EQ(check(dataOf<int64_t>(Storage::I64, {0, 9, 5, 10}), program),
            "labels.npy: row 1, element 1: expected integers from 0 to 9 for the input 'labels', "
            "got 10");
  EXPECT_EQ(check(dataOf<int32_t>(Storage::I32, {0, -1}), program),
            "labels.npy: row 0, element 1: expected integers from 0 to 9 for the input 'labels', "
            "got -1; if such a label does not count, add 'ignore_index=-1' to '--loss'");
  EXPECT_NE(check(dataOf<uint8_t>(Storage::Bytes, {0, 255}), program), "");
}

TEST(CheckValues, TheIgnoredLabelIsLegal) {
  abi::Program program = programOf();
  program.mutable_inputs(0)->mutable_range()->set_ignored(-100);
  EXPECT_EQ(check(dataOf<int64_t>(Storage::I64, {0, -100}), program), "");
  EXPECT_EQ(check(dataOf<int64_t>(Storage::I64, {-1, -100}), program),
            "labels.npy: row 0, element 0: expected integers from 0 to 9 or -100 for the input "
            "'labels', got -1");
}

TEST(CheckValues, FloatsMustBeIntegers) {
  abi::Program program = programOf();
  EXPECT_EQ(check(dataOf<float>(Storage::F32, {0, 9}), program), "");
  EXPECT_EQ(check(dataOf<float>(Storage::F32, {0, 0.5f}), program),
            "labels.npy: row 0, element 1: expected integers from 0 to 9 for the input 'labels', "
            "got 0.5");
  program.mutable_inputs(0)->clear_range();
  EXPECT_NE(check(dataOf<double>(Storage::F64, {0, NAN}), program), "");
  EXPECT_NE(check(dataOf<double>(Storage::F64, {0, 1e30}), program), "");
}

TEST(CheckValues, TheTypeIsARange) {
  abi::Program program = programOf(abi::I32);
  program.mutable_inputs(0)->clear_range();
  EXPECT_EQ(check(dataOf<int64_t>(Storage::I64, {-2147483648, 2147483647}), program), "");
  EXPECT_EQ(check(dataOf<int64_t>(Storage::I64, {0, 2147483648}), program),
            "labels.npy: row 0, element 1: expected integers from -2147483648 to 2147483647 for "
            "the input 'labels', got 2147483648");
}

TEST(CheckValues, UnsignedTypesAreRanges) {
  abi::Program program = programOf(abi::U8);
  program.mutable_inputs(0)->clear_range();
  EXPECT_EQ(check(dataOf<int64_t>(Storage::I64, {0, 255}), program), "");
  EXPECT_EQ(check(dataOf<int16_t>(Storage::I16, {0, -1}), program),
            "labels.npy: row 0, element 1: expected integers from 0 to 255 for the input 'labels', "
            "got -1");
  EXPECT_NE(check(dataOf<uint64_t>(Storage::U64, {0, 256}), program), "");
  program.mutable_inputs(0)->mutable_block()->set_type(abi::U64);
  EXPECT_EQ(check(dataOf<uint64_t>(Storage::U64, {0, ~uint64_t(0)}), program), "");
  EXPECT_EQ(check(dataOf<double>(Storage::F64, {0, 0x1p63}), program), "");
  EXPECT_NE(check(dataOf<double>(Storage::F64, {0, 0x1p64}), program), "");
  program.mutable_inputs(0)->mutable_block()->set_type(abi::I64);
  EXPECT_EQ(check(dataOf<uint64_t>(Storage::U64, {0, ~uint64_t(0)}), program),
            "labels.npy: row 0, element 1: expected integers from -9223372036854775808 to "
            "9223372036854775807 for the input 'labels', got 18446744073709551615");
}

TEST(CheckValues, NegativeLabelsOfMetricsDoNotCount) {
  abi::Program program = programOf();
  program.add_metrics()->set_label(0);
  Dataset negative = dataOf<int64_t>(Storage::I64, {0, -7}),
          great = dataOf<int64_t>(Storage::I64, {0, 10});
  EXPECT_EQ(check(negative, program, DataPurpose::Evaluation), "");
  EXPECT_NE(check(negative, program, DataPurpose::Training), "");
  EXPECT_NE(check(great, program, DataPurpose::Evaluation), "");
}

} // namespace
} // namespace pcc::test
