// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/files/ReadOnnx.h"
#include "compiler/import/files/TensorData.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace pcc;

namespace {

std::string makeFolder(const char *name) {
  std::string folder = testing::TempDir() + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder + "/inner");
  std::ofstream(folder + "/data") << std::string(1 << 20, 'x');
  return folder;
}

/// Returns the last byte of a mapped file after the file has become empty.
int readBeyondEnd(const std::string &folder) {
  import::reportTruncatedFiles("tool");
  auto buffer = import::mapBeneath(folder, "data");
  std::filesystem::resize_file(folder + "/data", 0);
  return *((*buffer)->getBufferEnd() - 1);
}

TEST(TruncatedFilesDeathTest, IsAnError) {
  std::string folder = makeFolder("/pcc_truncated_test");
  EXPECT_EXIT(std::exit(readBeyondEnd(folder)), testing::ExitedWithCode(1),
              "tool: error: a file became shorter while it was read");
}

TEST(FilesBeneath, FollowsNoLinks) {
  std::string folder = makeFolder("/pcc_beneath_test");
  EXPECT_EQ((*import::mapBeneath(folder, "data"))->getBufferSize(), size_t(1) << 20);
  std::filesystem::create_symlink("/etc", folder + "/inner/etc");
  std::filesystem::create_symlink("../data", folder + "/inner/data");
  auto errorOf = [&](const char *location) {
    return import::mapBeneath(folder, location).getError();
  };
  EXPECT_EQ(errorOf("inner/etc/passwd"), std::errc::too_many_symbolic_link_levels);
  EXPECT_EQ(errorOf("inner/data"), std::errc::too_many_symbolic_link_levels);
  EXPECT_EQ(errorOf("../pcc_beneath_test/data"), std::errc::permission_denied);
  EXPECT_EQ(errorOf((folder + "/data").c_str()), std::errc::permission_denied);
  EXPECT_EQ(errorOf("//etc"), std::errc::permission_denied);
  EXPECT_EQ(errorOf("//etc/passwd"), std::errc::permission_denied);
  EXPECT_EQ(errorOf("inner//none"), std::errc::no_such_file_or_directory);
  EXPECT_EQ(errorOf("inner"), std::errc::not_supported);
  EXPECT_EQ(errorOf("none"), std::errc::no_such_file_or_directory);
}

} // namespace
