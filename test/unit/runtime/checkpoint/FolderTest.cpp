// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/checkpoint/CheckpointFiles.h"

#include "runtime/checkpoint/Folder.h"

namespace pcc::test {
namespace {

using namespace runtime;

/// Writes a checkpoint that holds `mark` in a file.
void write(const CheckpointFolder &folder, const std::string &path, int64_t step,
           const std::string &mark = "") {
  ASSERT_TRUE(folder.begin(step).ok());
  std::string unfinished = CheckpointFolder::unfinishedPath(path, step);
  ASSERT_TRUE(abi::writeFile(unfinished + "/mark" + mark, mark).ok());
  ASSERT_TRUE(writeManifest(smallManifest(), unfinished).ok());
  Status status = folder.publish(step);
  ASSERT_TRUE(status.ok()) << status.message();
}

std::string listed(const std::string &path) {
  std::string text;
  Expected<std::vector<CheckpointEntry>> entries = listCheckpoints(path);
  for (const CheckpointEntry &entry : *entries)
    text += std::to_string(entry.step) + (entry.isComplete ? " " : "? ");
  return text;
}

// The last number counts, not the last name; other files and folders are left alone.
TEST(Folder, TheLatestCompleteCheckpointIsFound) {
  std::string path = emptyFolder("latest");
  EXPECT_EQ(listed(path), "");
  EXPECT_EQ(listed(path + "/nowhere"), "");
  Expected<CheckpointFolder> folder = CheckpointFolder::open(path);
  ASSERT_TRUE(bool(folder));
  EXPECT_EQ(findCheckpoint(path).status().message(),
            path + ": expected a complete checkpoint, or a folder with one, got 0 unfinished ones");
  EXPECT_EQ(findCheckpoint(path + "/nowhere").status().message(),
            path + "/nowhere: expected a complete checkpoint, or a folder with one, got no such "
                   "folder");
  write(*folder, path, 9);
  write(*folder, path, 100'000'000);
  write(*folder, path, 20);
  ASSERT_TRUE(folder->begin(200'000'000).ok());
  std::filesystem::create_directories(path + "/step-x");
  std::filesystem::create_directories(path + "/step-00000030"); // without a manifest
  ASSERT_TRUE(abi::writeFile(path + "/step-00000040", "a file").ok());
  EXPECT_EQ(listed(path), "9 20 30? 100000000 200000000? ");
  EXPECT_EQ(*findCheckpoint(path), path + "/step-100000000");
  EXPECT_EQ(*findCheckpoint(path + "/step-00000020"), path + "/step-00000020");
  EXPECT_FALSE(findCheckpoint(path + "/step-00000030"));
  ASSERT_TRUE(folder->begin(21).ok()); // removes the one that was begun before
  EXPECT_EQ(listed(path), "9 20 21? 30? 100000000 ");
  folder->abandon(21);
  EXPECT_EQ(listed(path), "9 20 30? 100000000 ");
}

// The best checkpoint stays, whichever are removed. It is found by its link, also in a folder that
// was moved.
TEST(Folder, TheBestCheckpointStays) {
  std::string path = emptyFolder("best");
  {
    Expected<CheckpointFolder> folder = CheckpointFolder::open(path);
    ASSERT_TRUE(bool(folder));
    const char *left[] = {"", "1 ", "1 2 ", "3 ", "3 4 ", "3 5 "};
    for (int64_t step : {1, 2, 3, 4, 5}) {
      write(*folder, path, step);
      if (step == 1 || step == 3) {
        ASSERT_TRUE(folder->markBest(step).ok());
      }
      ASSERT_TRUE(folder->removeOld(1, step).ok());
      EXPECT_EQ(listed(path), left[step]);
    }
  }
  EXPECT_EQ(*findCheckpoint(path), path + "/step-00000005");
  std::string moved = emptyFolder("best-moved");
  std::filesystem::rename(path, moved);
  EXPECT_EQ(*findCheckpoint(moved + "/best"), moved + "/best");
  EXPECT_EQ(std::filesystem::read_symlink(moved + "/best"), "step-00000003");
}

// A folder in place of the link is not replaced.
TEST(Folder, AFolderNamedBestIsAnError) {
  std::string path = emptyFolder("no-best");
  Expected<CheckpointFolder> folder = CheckpointFolder::open(path);
  ASSERT_TRUE(bool(folder));
  write(*folder, path, 1);
  std::filesystem::create_directories(path + "/best");
  EXPECT_NE(folder->markBest(1).message().find("/best: cannot link to 'step-00000001': "),
            std::string::npos);
}

TEST(Folder, ACheckpointOfTheSameStepIsReplaced) {
  std::string path = emptyFolder("replaced");
  Expected<CheckpointFolder> folder = CheckpointFolder::open(path);
  write(*folder, path, 5, "old");
  write(*folder, path, 5, "new");
  EXPECT_EQ(listed(path), "5 ");
  EXPECT_TRUE(std::filesystem::exists(CheckpointFolder::completePath(path, 5) + "/marknew"));
  EXPECT_FALSE(std::filesystem::exists(CheckpointFolder::completePath(path, 5) + "/markold"));
}

// The new checkpoint stays, and so do those of a training that had gone on further.
TEST(Folder, OldCheckpointsAreRemoved) {
  std::string path = emptyFolder("old");
  Expected<CheckpointFolder> folder = CheckpointFolder::open(path);
  for (int64_t step : {1, 2, 3, 4})
    write(*folder, path, step);
  ASSERT_TRUE(folder->removeOld(0, 4).ok());
  EXPECT_EQ(listed(path), "1 2 3 4 ");
  ASSERT_TRUE(folder->removeOld(3, 4).ok());
  EXPECT_EQ(listed(path), "2 3 4 ");
  ASSERT_TRUE(folder->removeOld(1, 3).ok());
  EXPECT_EQ(listed(path), "3 4 ");
}

TEST(Folder, OneRunWrites) {
  std::string path = emptyFolder("locked") + "/deep/folder";
  Expected<CheckpointFolder> folder = CheckpointFolder::open(path);
  ASSERT_TRUE(bool(folder));
  EXPECT_EQ(CheckpointFolder::open(path).status().message(),
            path + ": another run writes its checkpoints there; give each run a folder of its own");
  {
    CheckpointFolder moved = std::move(*folder);
  }
  EXPECT_TRUE(bool(CheckpointFolder::open(path)));
  ASSERT_TRUE(abi::writeFile(path + "/file", "").ok());
  EXPECT_FALSE(CheckpointFolder::open(path + "/file"));
}

} // namespace
} // namespace pcc::test
