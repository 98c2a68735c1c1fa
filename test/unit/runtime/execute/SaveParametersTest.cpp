// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/checkpoint/SaveParameters.h"

#include "runtime/abi/files/Safetensors.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/base/Files.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace pcc::test {
namespace {

using namespace runtime;

abi::Parameter &addParameter(abi::Program &program, const std::string &name,
                             const std::vector<int64_t> &shape) {
  abi::Parameter &parameter = *program.add_parameters();
  parameter.set_name(name);
  parameter.mutable_block()->set_type(abi::F16);
  parameter.mutable_block()->mutable_global_shape()->Add(shape.begin(), shape.end());
  return parameter;
}

// The file has a length, a header, blanks up to a multiple of eight, and the bytes. Optimizer
// states are left out.
TEST(SaveParameters, WritesTheFormat) {
  abi::Program program;
  addParameter(program, "w", {1, 2});
  addParameter(program, "w.m", {1, 2}).set_state_of("w");
  addParameter(program, "\"b\"\n", {});
  std::string path = testing::TempDir() + "/saved.safetensors";
  Status status = saveParameters(path, program, [](const abi::Parameter &parameter) {
    return std::vector<std::byte>(parameter.name() == "w" ? 4 : 2, std::byte(parameter.name()[0]));
  });
  ASSERT_TRUE(status.ok()) << status.message();
  std::string header = R"({"w":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},)"
                       R"("\"b\"\u000a":{"dtype":"F16","shape":[],"data_offsets":[4,6]}})";
  header.append(-header.size() % 8, ' ');
  EXPECT_EQ(*abi::readFile(path),
            std::string{char(header.size())} + std::string(7, '\0') + header + "wwww\"\"");
  std::filesystem::remove(path);
}

abi::ParameterPart &addPart(abi::Program &program, const std::string &name, int64_t columns,
                            int64_t offset) {
  abi::ParameterPart &part = *addParameter(program, name, {2, columns}).mutable_part();
  part.set_whole("all");
  part.add_shape(2);
  part.add_shape(3);
  part.set_period(3);
  part.set_offset(offset);
  return part;
}

// Two columns and one column of a tensor with rows of three.
TEST(SaveParameters, PutsPiecesTogether) {
  abi::Program program;
  addPart(program, "a", 2, 0);
  addParameter(program, "w", {1});
  addPart(program, "b", 1, 2);
  std::string path = testing::TempDir() + "/whole.safetensors";
  Status status = saveParameters(path, program, [](const abi::Parameter &parameter) {
    std::vector<std::byte> bytes;
    for (char c : std::string(parameter.name() == "a"   ? "AABBDDEE"
                              : parameter.name() == "b" ? "CCFF"
                                                        : "ww"))
      bytes.push_back(std::byte(c));
    return bytes;
  });
  ASSERT_TRUE(status.ok()) << status.message();
  std::string content = *abi::readFile(path);
  EXPECT_NE(content.find(R"("all":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]})"),
            std::string::npos);
  EXPECT_EQ(content.substr(content.size() - 14), "AABBCCDDEEFFww");
  std::filesystem::remove(path);
}

// The f16 bits are an infinity and a NaN. Running statistics are not checked.
TEST(SaveParameters, NothingIsSavedOverAGoodFile) {
  std::string path = testing::TempDir() + "/good.safetensors";
  auto save = [&](uint16_t bits, bool isTrained, bool mustBeFinite) {
    abi::Program program;
    addParameter(program, "v", {1});
    addParameter(program, "w", {2}).set_trainable(isTrained);
    return saveParameters(
        path, program,
        [&](const abi::Parameter &parameter) {
          std::vector<std::byte> bytes(parameter.name() == "w" ? 4 : 2);
          std::memcpy(bytes.data() + bytes.size() - 2, &bits, 2);
          return bytes;
        },
        mustBeFinite);
  };
  ASSERT_TRUE(save(0x3c00, true, true).ok());
  std::string good = *abi::readFile(path);
  for (uint16_t bits : {0x7c00, 0xfc00, 0x7e01}) {
    Status status = save(bits, true, true);
    EXPECT_EQ(status.exitCode(), 5);
    EXPECT_EQ(status.message(), path + ": not written: expected finite numbers in the parameter "
                                       "'w'; '--on-nonfinite=continue' writes it");
    EXPECT_EQ(*abi::readFile(path), good);
  }
  EXPECT_TRUE(save(0x7c00, false, true).ok());
  EXPECT_TRUE(save(0x7c00, true, false).ok());
  std::filesystem::remove(path);
}

// The first part of the tensor is frozen. A NaN of a trained part is found, too.
TEST(SaveParameters, ChecksATensorOfWhichSomePartIsTrained) {
  std::string path = testing::TempDir() + "/parts.safetensors";
  for (bool isTrained : {true, false}) {
    abi::Program program;
    addPart(program, "a", 2, 0);
    addPart(program, "b", 1, 2);
    program.mutable_parameters(1)->set_trainable(isTrained);
    Status status = saveParameters(
        path, program,
        [](const abi::Parameter &parameter) {
          bool isWide = parameter.name() == "a";
          return std::vector<std::byte>(isWide ? 8 : 4, std::byte(isWide ? 0 : 0x7e));
        },
        /*mustBeFinite=*/true);
    EXPECT_EQ(status.ok(), !isTrained);
    if (isTrained) {
      EXPECT_EQ(status.message(), path + ": not written: expected finite numbers in the parameter "
                                         "'all'; '--on-nonfinite=continue' writes it");
    }
  }
  std::filesystem::remove(path);
}

// The last parameter cannot be read; in the second program it is a part of a tensor.
TEST(SaveParameters, AParameterThatCannotBeReadKeepsTheOldFile) {
  std::string path = testing::TempDir() + "/kept.safetensors";
  ASSERT_TRUE(abi::writeFile(path, "old").ok());
  abi::Program whole, parts;
  addParameter(whole, "v", {1});
  addParameter(whole, "b", {1});
  addPart(parts, "a", 2, 0);
  addPart(parts, "b", 1, 2);
  auto globalOf = [](const abi::Parameter &parameter) -> Expected<std::vector<std::byte>> {
    if (parameter.name() == "b")
      return Status::failed("the device is lost");
    return std::vector<std::byte>(parameter.name() == "a" ? 8 : 2);
  };
  for (const abi::Program *program : {&whole, &parts})
    EXPECT_EQ(saveParameters(path, *program, globalOf).message(), "the device is lost");
  EXPECT_EQ(*abi::readFile(path), "old");
  std::filesystem::remove(path);
}

TEST(SaveParameters, PathsAreCheckedBefore) {
  EXPECT_EQ(checkSavePath("model.bin").message(),
            "--save: expected a name that ends in .safetensors, got 'model.bin'");
  EXPECT_EQ(checkSavePath("nowhere/model.safetensors").message(),
            "--save: the folder 'nowhere' of 'nowhere/model.safetensors' is not there; make it "
            "first");
  EXPECT_EQ(checkOutputPath("--trace", testing::TempDir()).message(),
            "--trace: expected the name of a file, got the folder '" + testing::TempDir() + "'");
  std::string path = testing::TempDir() + "/checked.safetensors";
  EXPECT_TRUE(checkSavePath(path).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Safetensors, NamesOfTypes) {
  EXPECT_EQ(abi::safetensorsType("BF16"), abi::BF16);
  EXPECT_EQ(abi::safetensorsType("C64"), std::nullopt);
}

} // namespace
} // namespace pcc::test
