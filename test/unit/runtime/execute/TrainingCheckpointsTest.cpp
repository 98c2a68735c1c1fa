// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/checkpoint/Manifest.h"
#include "runtime/execute/Train.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/resource.h>
#include <thread>

namespace pcc::test {
namespace {

using namespace runtime;

TEST(BackgroundTask, ReturnsTheStatus) {
  std::atomic<bool> mayEnd = false;
  auto task = BackgroundTask::start([&] {
    while (!mayEnd)
      std::this_thread::yield();
    return Status::failed("no");
  });
  EXPECT_FALSE(task->isDone());
  mayEnd = true;
  EXPECT_EQ(task->wait().message(), "no");
  EXPECT_TRUE(task->isDone());
  auto throwing = BackgroundTask::start([]() -> Status { throw std::bad_alloc(); });
  EXPECT_FALSE(throwing->wait().ok());
}

TEST(CheckpointInterval, HasAUnit) {
  auto parse = [](const std::string &text) {
    Expected<CheckpointInterval> interval = parseCheckpointInterval(text);
    return interval ? fmt::format("{} {} {}", interval->steps, interval->epochs, interval->minutes)
                    : interval.status().message();
  };
  EXPECT_EQ(parse(""), "0 0 0");
  EXPECT_EQ(parse("7"), "7 0 0");
  EXPECT_EQ(parse("7steps"), "7 0 0");
  EXPECT_EQ(parse("2epochs"), "0 2 0");
  EXPECT_EQ(parse("100000000min"), "0 0 100000000");
  for (const char *wrong :
       {"0", "-1", "min", "5 min", "5minutes", "100000001", "1e3", "99999999999999999999"})
    EXPECT_EQ(parse(wrong), fmt::format("--checkpoint-every: expected a number from 1 to 100000000 "
                                        "with the unit steps (default), epochs or min, got '{}'",
                                        wrong));
}

/// Limits the size of files that this process writes.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = {bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }

private:
  rlimit before;
  void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN); // write returns EFBIG instead
};

/// Trains a program of four ranks in a folder of checkpoints.
class FourRanks : public testing::TestWithParam<bool> {
protected:
  void SetUp() override { std::filesystem::remove_all(folder); }

  /// Continues from the latest checkpoint until `steps` steps are done, with a checkpoint after
  /// each step, of which three stay.
  Expected<abi::RunReport> run(int64_t steps) {
    auto session = Session::load(program, {.seed = 3, .threads = 4, .timeout = 60});
    EXPECT_TRUE(bool(session)) << session.status().describe();
    abi::CheckpointConfig config;
    config.set_checkpoint(folder);
    config.set_resume("latest");
    auto point = findResumePoint(config, program, [](const std::string &) {});
    if (*point) {
      Status status = (*session)->onEveryRank(
          [point = *point](RankExecutor &rank) { return loadCheckpoint(rank, *point); });
      EXPECT_TRUE(status.ok()) << status.describe();
    }
    auto checkpoints = TrainingCheckpoints::open(
        program, (*session)->world(),
        {.folder = folder,
         .every = {.steps = 1},
         .keep = 3,
         .waits = GetParam(),
         .resumedFrom = *point ? (*point)->path : "",
         .written = [this](const std::string &) { ++written; },
         .warn = [this](const std::string &text) { warnings.push_back(text); }});
    EXPECT_TRUE(bool(checkpoints)) << checkpoints.status().describe();
    Dataset data = makeSyntheticDataset((*session)->program(), 256, 1);
    std::optional<FileSizeLimit> limit;
    if (maxFileBytes)
      limit.emplace(*maxFileBytes);
    return train(**session, data,
                 {.steps = steps, .shuffle = true, .checkpoints = *checkpoints, .resume = *point});
  }

  abi::Executable program = makeMlp({.ranks = 4, .batch = 64, .widths = {20, 16, 12, 4}});
  std::string folder = testing::TempDir() + (GetParam() ? "/four-waits" : "/four-beside");
  std::atomic<int> written = 0;
  std::vector<std::string> warnings;  ///< of one thread at a time
  std::optional<rlim_t> maxFileBytes; ///< while it trains
};

INSTANTIATE_TEST_SUITE_P(Waits, FourRanks, testing::Bool());

TEST_P(FourRanks, ContinueWithTheSameLosses) {
  auto whole = run(11);
  ASSERT_TRUE(bool(whole)) << whole.status().describe();
  EXPECT_EQ(written, 11);
  std::vector<CheckpointEntry> entries = *listCheckpoints(folder);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries.front().step, 9);
  std::filesystem::remove_all(folder);
  int64_t step = 0;
  for (int64_t end : {2, 7, 11}) {
    auto part = run(end);
    ASSERT_TRUE(bool(part)) << part.status().describe();
    for (const abi::StepLoss &loss : part->steps()) {
      EXPECT_EQ(loss.step(), uint32_t(step + 1));
      EXPECT_EQ(loss.loss(), whole->steps(int(step++)).loss());
    }
  }
  EXPECT_EQ(step, 11);
  auto none = run(11);
  ASSERT_TRUE(bool(none)) << none.status().describe();
  EXPECT_EQ(none->steps_size(), 0);
  EXPECT_TRUE(warnings.empty());
}

// Files have the names that two checkpoints need. The second of them is the last one of its run.
TEST_P(FourRanks, OnlyTheLastCheckpointMustBeWritten) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/step-00000003.part") << "in the way";
  std::ofstream(folder + "/step-00000006.part") << "in the way";
  auto report = run(5);
  ASSERT_TRUE(bool(report)) << report.status().describe();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("no checkpoint after step 3, the last one is '" + folder +
                                      "/step-00000002': "))
      << warnings[0];
  EXPECT_EQ(written, 4);
  Status status = run(6).status();
  EXPECT_TRUE(status.message().starts_with("no checkpoint after step 6, the last one is '"))
      << status.message();
  EXPECT_EQ(*findCheckpoint(folder), folder + "/step-00000005");
}

// A file of a rank is larger than a file may be.
TEST_P(FourRanks, TheErrorIsThatOfTheRank) {
  maxFileBytes = 64;
  Status status = run(2).status();
  auto errorOf = [&](int64_t step) {
    return fmt::format("no checkpoint after step {0}, the last one is none: "
                       "{1}/step-{0:08}.part/rank-00000.safetensors: cannot write: File too large",
                       step, folder);
  };
  EXPECT_EQ(warnings, std::vector<std::string>{errorOf(1)});
  EXPECT_EQ(status.message(), errorOf(2));
}

} // namespace
} // namespace pcc::test
