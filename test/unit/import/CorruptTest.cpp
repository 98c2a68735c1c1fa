// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged files: each is imported or diagnosed, and none crashes.

#include "compiler/import/Import.h"
#include "compiler/import/files/ReadOnnx.h"
#include "compiler/import/files/onnx.pb.h"
#include "test/unit/import/ImportFixture.h"

namespace pcc::import {
namespace {

class CorruptTest : public ImportTest {
protected:
  bool imports(llvm::StringRef bytes) {
    TemporaryFile file("onnx", bytes);
    diagnostics.clear();
    return static_cast<bool>(importOnnx(file.path(), {}, context));
  }
};

TEST_F(CorruptTest, WholeModelImports) {
  EXPECT_TRUE(imports(smallModel()));
  EXPECT_EQ(diagnostics, "");
}

TEST_F(CorruptTest, EveryTruncationIsDiagnosed) {
  std::string bytes = smallModel();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(imports(llvm::StringRef(bytes).take_front(size))) << "cut at byte " << size;
    EXPECT_NE(diagnostics.find(": error: "), std::string::npos) << "cut at byte " << size;
  }
}

TEST_F(CorruptTest, NoFlippedByteCrashes) {
  std::string bytes = smallModel();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (unsigned char mask : {0x01, 0x08, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      bool isImported = imports(damaged);
      EXPECT_TRUE(isImported || !diagnostics.empty()) << "byte " << at << " mask " << int(mask);
    }
}

TEST(WireFault, NamesFieldAndByte) {
  // Field 7 (graph), 4 bytes: node of 2 bytes, whose name claims 9.
  std::string bytes{0x3a, 0x04, 0x0a, 0x02, 0x1a, 0x09};
  auto fault = findWireFault(bytes, *onnx::ModelProto::descriptor(), 10);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->field, "graph.node[0].name");
  EXPECT_EQ(fault->byte, 5u);
  EXPECT_EQ(fault->what, "expected 9 bytes, got 0");
}

TEST(WireFault, LimitsDepth) {
  std::string bytes{0x3a, 0x04, 0x0a, 0x02, 0x2a, 0x00};
  EXPECT_FALSE(findWireFault(bytes, *onnx::ModelProto::descriptor(), 3));
  auto fault = findWireFault(bytes, *onnx::ModelProto::descriptor(), 2);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->what, "messages are nested too deeply");
}

} // namespace
} // namespace pcc::import
