// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/files/Safetensors.h"

#include "test/unit/import/ImportFixture.h"
#include "llvm/Support/Endian.h"

namespace pcc::import {
namespace {

class SafetensorsTest : public ImportTest {
protected:
  /// Reads a file that consists of `header` and `dataBytes` bytes 0, 1, 2, ….
  std::optional<std::vector<NamedTensor>> read(llvm::StringRef header, size_t dataBytes) {
    char length[8];
    llvm::support::endian::write64le(length, header.size());
    std::string bytes(length, sizeof(length));
    bytes += header;
    for (size_t i = 0; i < dataBytes; ++i)
      bytes.push_back(static_cast<char>(i));
    return readBytes(bytes);
  }

  std::optional<std::vector<NamedTensor>> readBytes(llvm::StringRef bytes) {
    TemporaryFile file("safetensors", bytes);
    diagnostics.clear();
    return readSafetensors(file.path(), context);
  }

  void expectError(llvm::StringRef header, size_t dataBytes, llvm::StringRef message) {
    EXPECT_FALSE(read(header, dataBytes));
    EXPECT_NE(diagnostics.find(message), std::string::npos) << diagnostics;
  }
};

TEST_F(SafetensorsTest, ReadsTensors) {
  auto tensors = read(R"({"__metadata__": {"format": "pt"},
    "b": {"dtype": "I8", "shape": [2], "data_offsets": [8, 10]},
    "a": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}})",
                      10);
  ASSERT_TRUE(tensors);
  ASSERT_EQ(tensors->size(), 2u);
  for (const NamedTensor &tensor : *tensors) {
    EXPECT_EQ(tensor.data.bytes.size(), tensor.name == "a" ? 8u : 2u);
    EXPECT_EQ(tensor.data.bytes.front(), tensor.name == "a" ? 0 : 8);
  }
}

TEST_F(SafetensorsTest, HeadersThatDoNotFit) {
  EXPECT_FALSE(readBytes(""));
  EXPECT_FALSE(readBytes(llvm::StringRef("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)));
  EXPECT_NE(diagnostics.find("not a safetensors file"), std::string::npos) << diagnostics;
  expectError("{", 0, "the header is not JSON");
  expectError("[]", 0, "expected the header to be a JSON object");
}

TEST_F(SafetensorsTest, TensorsThatDoNotFit) {
  expectError(R"({"a": {"dtype": "C64", "shape": [1], "data_offsets": [0, 8]}})", 8,
              "tensor 'a': expected a supported 'dtype' and a 'shape'");
  expectError(R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296],
                 "data_offsets": [0, 8]}})",
              8, "tensor 'a': sizes [4294967296, 4294967296] are negative or overflow");
  expectError(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 16]}})", 8,
              "tensor 'a': expected 'data_offsets' in [0, 8]");
  expectError(R"({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}})", 8,
              "tensor 'a': expected 12 bytes for shape [3], got 8");
}

TEST_F(SafetensorsTest, GapsAndOverlaps) {
  expectError(R"({"a": {"dtype": "I8", "shape": [4], "data_offsets": [0, 4]},
                  "b": {"dtype": "I8", "shape": [4], "data_offsets": [2, 6]}})",
              6, "tensor 'b': expected its data at byte 4 after the header, got byte 2");
  expectError(R"({"a": {"dtype": "I8", "shape": [4], "data_offsets": [0, 4]}})", 6,
              "expected 4 bytes after the header, got 6");
}

} // namespace
} // namespace pcc::import
