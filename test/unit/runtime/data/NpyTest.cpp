// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/formats/Formats.h"
#include "test/unit/runtime/data/DataFiles.h"

#include <algorithm>

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns a file of version 1 with this header and these values.
std::string npy(const std::string &header, const std::string &values) {
  return std::string("\x93NUMPY\1\0", 8) + char(header.size()) + char(header.size() >> 8) + header +
         values;
}

std::string npyOf(const std::string &type, const std::string &shape, const std::string &values,
                  const std::string &order = "False") {
  return npy("{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape +
                 ", }\n",
             values);
}

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

class Npy : public DataFiles {
protected:
  /// Returns the error message for a file, without its path.
  std::string errorOf(const std::string &bytes) {
    std::string path = write("bad.npy", bytes), message = readNpy(path).status().message();
    return message.substr(std::min(message.size(), path.size() + 2));
  }
  /// Returns element 1 of row 0 as f32 and as i64.
  std::pair<float, int64_t> secondOf(const std::string &bytes) {
    Expected<Dataset> data = readNpyFiles(write("good.npy", bytes));
    EXPECT_TRUE(bool(data)) << data.status().message();
    float real = 0;
    data->fields[0].read(0, 1, 1, abi::F32, reinterpret_cast<std::byte *>(&real));
    return {real, data->fields[0].integerAt(0, 1)};
  }
};

TEST_F(Npy, ReadsEveryType) {
  EXPECT_EQ(secondOf(npyOf("<f4", "(1, 2)", bytesOf<float>({1, 2.5f}))),
            std::pair(2.5f, int64_t(2)));
  EXPECT_EQ(secondOf(npyOf("<f8", "(1, 2)", bytesOf<double>({1, -2.5}))),
            std::pair(-2.5f, int64_t(-2)));
  EXPECT_EQ(secondOf(npyOf("<i4", "(1, 2)", bytesOf<int32_t>({1, -7}))),
            std::pair(-7.f, int64_t(-7)));
  EXPECT_EQ(secondOf(npyOf("<i8", "(1, 2)", bytesOf<int64_t>({1, 9}))), std::pair(9.f, int64_t(9)));
  EXPECT_EQ(secondOf(npyOf("|u1", "(1, 2)", "\1\xff")), std::pair(255.f, int64_t(255)));
  EXPECT_EQ(secondOf(npyOf("|i1", "(1, 2)", "\1\xff")), std::pair(-1.f, int64_t(-1)));
  EXPECT_EQ(secondOf(npyOf("<i2", "(1, 2)", bytesOf<int16_t>({1, -300}))),
            std::pair(-300.f, int64_t(-300)));
  EXPECT_EQ(secondOf(npyOf("<u2", "(1, 2)", bytesOf<uint16_t>({1, 65535}))),
            std::pair(65535.f, int64_t(65535)));
  EXPECT_EQ(secondOf(npyOf("<u4", "(1, 2)", bytesOf<uint32_t>({1, 4294967295}))),
            std::pair(4294967296.f, int64_t(4294967295)));
  EXPECT_EQ(secondOf(npyOf("<u8", "(1, 2)", bytesOf<uint64_t>({1, uint64_t(1) << 53}))),
            std::pair(0x1p53f, int64_t(1) << 53));
}

// A number that neither f32 nor i64 holds arrives unchanged.
TEST_F(Npy, KeepsAllDigits) {
  auto last = [&]<typename T>(const std::string &bytes, abi::ElementType type, T value) {
    Expected<Dataset> data = readNpyFiles(write("digits.npy", bytes));
    EXPECT_TRUE(bool(data)) << data.status().message();
    data->fields[0].read(0, 1, 1, type, reinterpret_cast<std::byte *>(&value));
    return value;
  };
  constexpr uint64_t greatest = ~uint64_t(0);
  EXPECT_EQ(last(npyOf("<f8", "(1, 2)", bytesOf<double>({1, 0.1})), abi::F64, 0.0), 0.1);
  EXPECT_EQ(last(npyOf("<u8", "(1, 2)", bytesOf<uint64_t>({1, greatest})), abi::U64, uint64_t(0)),
            greatest);
}

// Versions 2 and 3 have a length of four bytes; entries come in any order, with any blanks.
TEST_F(Npy, ReadsOtherHeaders) {
  std::string header = "{\"shape\":(2,),'fortran_order':True , 'descr':'|u1'}  \n";
  std::string bytes = std::string("\x93NUMPY\2\0", 8) + char(header.size()) + std::string(3, '\0');
  Expected<NpyTensor> tensor = readNpy(write("two.npy", bytes + header + "ab"));
  ASSERT_TRUE(bool(tensor)) << tensor.status().message();
  EXPECT_EQ(tensor->shape, std::vector<int64_t>{2});
  EXPECT_EQ(char(tensor->values.partAt(1)->bytes[1]), 'b');
}

TEST_F(Npy, NamesWhatIsWrong) {
  std::string form = "expected a header of the form {'descr': '<f4', 'fortran_order': False, "
                     "'shape': (2, 3), }";
  EXPECT_EQ(errorOf(""), "not an .npy file");
  EXPECT_EQ(errorOf("PK\3\4 an archive"), "not an .npy file");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\7\0\0\0", 10)),
            "expected version 1, 2 or 3 of the format, got 7");
  EXPECT_EQ(errorOf(npy("{}", "").substr(0, 11)), "expected a header of 2 bytes, got 1");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\2\0\1\0", 10)),
            "expected a header of 4294901761 bytes, got 0");
  for (const char *header :
       {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} more"})
    EXPECT_EQ(errorOf(npy(header, "")), form) << header;
  EXPECT_EQ(errorOf(npyOf(">f4", "(1,)", "abcd")),
            "expected elements of <f4, <f8, |i1, <i2, <i4, <i8, |u1, <u2, <u4 or <u8, got '>f4'; "
            "numpy.astype converts them");
  EXPECT_EQ(errorOf(npyOf("<f4", "(1, 1)", "abcd", "True")),
            "expected an array in C order, got Fortran order; numpy.ascontiguousarray converts it");
}

TEST_F(Npy, NamesWhatDoesNotFit) {
  EXPECT_EQ(errorOf(npyOf("<f4", "(2, 3)", "abcd")), "expected 6 elements of 4 bytes, got 4 bytes");
  EXPECT_EQ(errorOf(npyOf("<f4", "(1,)", "abcde")), "expected 1 elements of 4 bytes, got 5 bytes");
  EXPECT_EQ(errorOf(npyOf("<f8", "(4611686018427387904, 4)", "")),
            "expected more than 2^62 elements of 8 bytes, got 0 bytes");
  EXPECT_EQ(errorOf(npyOf("<f4", "(-1,)", "")),
            "expected more than 2^62 elements of 4 bytes, got 0 bytes");
  EXPECT_EQ(errorOf(npyOf("<f8", "(2305843009213693952,)", "")),
            "expected 2305843009213693952 elements of 8 bytes, got 0 bytes");
}

TEST_F(Npy, NamesTheFields) {
  std::string x = write("x.npy", npyOf("|u1", "(2, 3)", "abcdef")),
              y = write("y.npy", npyOf("|u1", "(2,)", "gh"));
  for (const std::string &paths : {"image=" + x + ",y=" + y, folder}) {
    Expected<Dataset> data = openDataset("npy:" + paths, DataPurpose::Training, {});
    ASSERT_TRUE(bool(data)) << data.status().message();
    EXPECT_EQ(data->rows, 2);
    EXPECT_EQ(data->fields[0].name, paths == folder ? "x" : "image");
    EXPECT_EQ(rowOf(data->fields[0], 1), "def");
    EXPECT_EQ(data->fields[1].name, "y");
  }
}

TEST_F(Npy, FieldsMustFitTogether) {
  std::string x = write("x.npy", npyOf("|u1", "(2, 3)", "abcdef")),
              y = write("y.npy", npyOf("|u1", "(3,)", "ghi")),
              number = write("number.npy", npyOf("|u1", "()", "a")),
              none = write("none.npy", npyOf("|u1", "(0, 4)", ""));
  auto errorOf = [](const std::string &paths) { return readNpyFiles(paths).status().message(); };
  EXPECT_EQ(errorOf(x + "," + y), y + ": expected 2 rows, as 'x' has, got 3");
  EXPECT_EQ(errorOf(x + "," + x), "npy:" + x + "," + x + ": the field 'x' is given twice");
  EXPECT_EQ(errorOf(number), number + ": expected an array of rows, got one number");
  EXPECT_EQ(errorOf(none), none + ": expected an array of rows, got no row");
  EXPECT_EQ(errorOf(folder + "/nowhere.npy"),
            folder + "/nowhere.npy: cannot open: No such file or directory");
  EXPECT_EQ(openDataset(folder, DataPurpose::Training, {}).status().message(),
            folder +
                ": expected 'train-images-idx3-ubyte' or the same with '.gz', "
                "'data_batch_1.bin' or 'train.bin' in the folder; 'npy:" +
                folder + "' reads its .npy files");
  std::filesystem::create_directories(folder + "/below");
  EXPECT_EQ(errorOf(folder + "/below"), folder + "/below: expected files NAME.npy in the folder");
}

} // namespace
} // namespace pcc::test
