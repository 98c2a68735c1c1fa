// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/checkpoint/ImportTensors.h"
#include "runtime/checkpoint/SaveParameters.h"
#include "test/unit/runtime/checkpoint/CheckpointFiles.h"
#include <fstream>

namespace pcc::test {
namespace {

using namespace runtime;

TensorInPieces wholeTensor(std::string name, abi::ElementType type, std::vector<int64_t> shape,
                           std::string_view bytes, std::string stateOf = "") {
  std::vector<TensorPiece> pieces = wholePiece(shape, bytes);
  return {std::move(name), type, std::move(shape), std::move(pieces), std::move(stateOf)};
}

TEST(Convert, AFileOfParametersBecomesACheckpointAndAFileAgain) {
  std::string folder = emptyFolder("convert") + "/checkpoint", file = folder + ".safetensors";
  std::vector<TensorInPieces> tensors = {wholeTensor("b", abi::F32, {2}, "bbbbBBBB"),
                                         wholeTensor("none", abi::F32, {0}, ""),
                                         wholeTensor("a", abi::U8, {2, 3}, "aaaAAA")};
  ASSERT_TRUE(importTensors(tensors, 0, "1.2.3", folder).ok());
  Expected<abi::CheckpointManifest> manifest = readManifest(folder);
  ASSERT_TRUE(bool(manifest)) << manifest.status().message();
  EXPECT_TRUE(manifest->parameters_only());
  EXPECT_EQ(manifest->step(), 0);
  EXPECT_EQ(manifest->pcc_version(), "1.2.3");
  ASSERT_TRUE(exportTensors(folder, *manifest, file, /*withStates=*/false).ok());
  std::string content = readAll(file);
  EXPECT_EQ(content.substr(content.size() - 14), "bbbbBBBBaaaAAA");
  ASSERT_TRUE(saveTensors(tensors, file + "2").ok());
  EXPECT_EQ(readAll(file + "2"), content);
  EXPECT_TRUE(readAll(folder + "/tensors.safetensors").ends_with("bbbbBBBBaaaAAA"));
  EXPECT_EQ(importTensors(tensors, 0, "", folder).message(),
            folder + ": expected the name of a new folder, got one that exists");
  std::filesystem::resize_file(folder + "/tensors.safetensors", 10);
  EXPECT_NE(exportTensors(folder, *manifest, file, false).message().find("damaged"),
            std::string::npos);
}

TEST(Convert, NothingIsLeftOfAnEarlierTry) {
  std::string folder = emptyFolder("earlier") + "/checkpoint", part = folder + ".part";
  std::filesystem::create_directory(part);
  std::ofstream(part + "/old.safetensors") << "cut off";
  std::vector<TensorInPieces> tensors = {wholeTensor("b", abi::F32, {2}, "bbbbBBBB")};
  ASSERT_TRUE(importTensors(tensors, 0, "", folder).ok());
  EXPECT_FALSE(std::filesystem::exists(part));
  EXPECT_FALSE(std::filesystem::exists(folder + "/old.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/tensors.safetensors"));
}

TEST(Convert, PiecesAreBlocksOfACheckpointAndOneTensorOfAFile) {
  std::string folder = emptyFolder("pieces") + "/checkpoint", file = folder + ".safetensors";
  // 0 1 | 2 3
  // 4 5 | 6 7
  // ----------
  // 8 9 | a b
  std::vector<TensorInPieces> tensors = {{"w",
                                          abi::U8,
                                          {3, 4},
                                          {{{{2, 0}, {1, 2}}, {"89"}},
                                           {{{0, 0}, {2, 2}}, {"0", "145"}},
                                           {{{0, 2}, {2, 2}}, {"236", "7"}},
                                           {{{2, 2}, {1, 2}}, {"ab"}}},
                                          ""}};
  ASSERT_TRUE(saveTensors(tensors, file).ok());
  EXPECT_TRUE(readAll(file).ends_with("0123456789ab"));
  ASSERT_TRUE(importTensors(tensors, 5, "", folder).ok());
  Expected<abi::CheckpointManifest> manifest = readManifest(folder);
  ASSERT_TRUE(bool(manifest)) << manifest.status().message();
  EXPECT_EQ(manifest->tensors(0).blocks_size(), 4);
  EXPECT_EQ(manifest->step(), 5);
  ASSERT_TRUE(exportTensors(folder, *manifest, file + "2", false).ok());
  EXPECT_EQ(readAll(file + "2"), readAll(file));
}

TEST(Convert, StatesHaveTheNamesOfTorch) {
  std::string folder = emptyFolder("states") + "/checkpoint", file = folder + ".safetensors";
  std::vector<TensorInPieces> tensors = {wholeTensor("w", abi::U8, {2}, "ww"),
                                         wholeTensor("w.moment1", abi::U8, {2}, "mm", "w"),
                                         wholeTensor("w.moment2", abi::U8, {2}, "vv", "w"),
                                         wholeTensor("loss_scale", abi::U8, {}, "s", "loss_scale")};
  ASSERT_TRUE(importTensors(tensors, 3, "", folder).ok());
  Expected<abi::CheckpointManifest> manifest = readManifest(folder);
  ASSERT_TRUE(bool(manifest)) << manifest.status().message();
  EXPECT_FALSE(manifest->parameters_only());
  ASSERT_TRUE(exportTensors(folder, *manifest, file, /*withStates=*/true).ok());
  std::string content = readAll(file);
  EXPECT_NE(content.find("\"state.w.exp_avg\""), std::string::npos);
  EXPECT_NE(content.find("\"state.w.exp_avg_sq\""), std::string::npos);
  EXPECT_NE(content.find("\"state.w.step\""), std::string::npos);
  EXPECT_EQ(content.find("loss_scale"), std::string::npos);
  float step = 3;
  std::string stepBytes(reinterpret_cast<const char *>(&step), sizeof step);
  EXPECT_TRUE(content.ends_with("wwmmvv" + stepBytes));
  ASSERT_TRUE(exportTensors(folder, *manifest, file, /*withStates=*/false).ok());
  EXPECT_TRUE(readAll(file).ends_with("ww"));
}

TEST(Convert, TwoTensorsOfOneNameAreAnError) {
  std::string folder = emptyFolder("twice") + "/checkpoint";
  std::vector<TensorInPieces> tensors = {wholeTensor("w", abi::U8, {2}, "ww"),
                                         wholeTensor("w", abi::U8, {2}, "vv")};
  EXPECT_EQ(importTensors(tensors, 0, "", folder).message(),
            "'w': expected one tensor or state of this name, got two");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Convert, AParameterThatIsCalledLikeAStateIsAnError) {
  std::string folder = emptyFolder("collision") + "/checkpoint";
  std::vector<TensorInPieces> tensors = {wholeTensor("w", abi::U8, {2}, "ww"),
                                         wholeTensor("state.w.exp_avg", abi::U8, {2}, "ee"),
                                         wholeTensor("w.moment1", abi::U8, {2}, "mm", "w")};
  ASSERT_TRUE(importTensors(tensors, 0, "", folder).ok());
  Expected<abi::CheckpointManifest> manifest = readManifest(folder);
  ASSERT_TRUE(bool(manifest)) << manifest.status().message();
  EXPECT_EQ(exportTensors(folder, *manifest, folder + ".safetensors", true).message(),
            folder + ": 'state.w.exp_avg': expected no parameter that has the name of an optimizer "
                     "state, got one; convert without '--optimizer-states'");
  EXPECT_TRUE(exportTensors(folder, *manifest, folder + ".safetensors", false).ok());
}

// Checkpoints of earlier versions have parts of parameters, but not of states.
TEST(Convert, StatesOfPartsAreJoined) {
  std::string folder = emptyFolder("parts") + "/checkpoint";
  std::vector<TensorInPieces> tensors = {wholeTensor("qk[q]", abi::U8, {2}, "qQ"),
                                         wholeTensor("qk[k]", abi::U8, {2}, "kK"),
                                         wholeTensor("qk[q].moment1", abi::U8, {2}, "mM", "qk[q]"),
                                         wholeTensor("qk[k].moment1", abi::U8, {2}, "nN", "qk[k]")};
  ASSERT_TRUE(importTensors(tensors, 0, "", folder).ok());
  Expected<abi::CheckpointManifest> manifest = readManifest(folder);
  ASSERT_TRUE(bool(manifest)) << manifest.status().message();
  for (int i : {0, 1}) {
    abi::ParameterPart &part = *manifest->mutable_tensors(i)->mutable_part();
    part.set_whole("qk");
    part.add_shape(4);
    part.set_period(4);
    part.set_offset(2 * i);
  }
  ASSERT_TRUE(exportTensors(folder, *manifest, folder + ".safetensors", true).ok());
  std::string content = readAll(folder + ".safetensors");
  EXPECT_NE(content.find("\"state.qk.exp_avg\""), std::string::npos);
  EXPECT_NE(content.find("\"state.qk.step\""), std::string::npos);
  EXPECT_NE(content.find("qQkKmMnN"), std::string::npos);
}

TEST(Convert, AStateThatTorchLacksIsAnError) {
  std::string folder = emptyFolder("unknown-state") + "/checkpoint";
  std::vector<TensorInPieces> tensors = {wholeTensor("w", abi::U8, {2}, "ww"),
                                         wholeTensor("w.trust", abi::U8, {2}, "tt", "w")};
  ASSERT_TRUE(importTensors(tensors, 0, "", folder).ok());
  Expected<abi::CheckpointManifest> manifest = readManifest(folder);
  ASSERT_TRUE(bool(manifest)) << manifest.status().message();
  EXPECT_EQ(exportTensors(folder, *manifest, folder + ".safetensors", true).message(),
            folder + ": optimizer state 'w.trust': expected a state that torch has, too, got "
                     "another one; convert without '--optimizer-states'");
}

} // namespace
} // namespace pcc::test
