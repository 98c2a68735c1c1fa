// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that fail or do not respond.

#include "runtime/execute/RankThreads.h"
#include "runtime/execute/Session.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <new>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns a program whose ranks run one all-reduce. Rank r first sleeps for milliseconds[r].
abi::Executable sleepy(const std::vector<int64_t> &milliseconds) {
  ProgramBuilder builder(int(milliseconds.size()));
  uint32_t value = builder.buffer("value", abi::PERSISTENT, abi::F32, {4});
  abi::Section &section = builder.section("main");
  abi::Instruction &instruction = builder.launch(section, "slumber", {}, {0});
  for (int64_t duration : milliseconds)
    instruction.mutable_launch()->mutable_scalars(0)->mutable_expression()->add_table(duration);
  builder.allReduce(section, value);
  builder.program.add_actions();
  return builder.executable;
}

// The report distinguishes the rank that blocks the others from the ranks that wait.
TEST(Watchdog, NamesTheRankThatDoesNotAnswer) {
  auto session = Session::load(sleepy({0, 6000, 0}), {.timeout = 0.3});
  ASSERT_TRUE(bool(session)) << session.status().message();
  int64_t begin = nowNanoseconds();
  Status status = (*session)->runStep({}).status();
  EXPECT_LT(double(nowNanoseconds() - begin) / 1e9, 5.9);
  EXPECT_EQ(status.kind(), StatusKind::TimedOut);
  EXPECT_EQ(status.exitCode(), 5);
  const std::string &message = status.message();
  EXPECT_TRUE(message.starts_with("no answer within 0.3 s\n")) << message;
  EXPECT_NE(
      message.find("rank    0, step      0: finished instruction 'slumber'  waits in all_reduce "
                   "'all_reduce value' for 0."),
      std::string::npos)
      << message;
  EXPECT_NE(
      message.find(
          "rank    1, step      0: finished -                      runs instruction 'slumber'"),
      std::string::npos)
      << message;
}

/// Runs ranks of which those above 0 wait at a barrier while rank 0 does `work`.
Status waitForWork(const std::function<void(RankExecutor &rank)> &work) {
  auto session = Session::load(sleepy({0, 0, 0}), {.timeout = 0.3});
  EXPECT_TRUE(bool(session)) << session.status().message();
  return (*session)->onEveryRank([&](RankExecutor &rank) {
    if (rank.rank() == 0)
      work(rank);
    return rank.barrier("at the barrier of a test");
  });
}

void pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// A barrier is a wait like any other: a rank that does nothing for it ends the run.
TEST(Watchdog, LimitsBarriers) {
  Status status = waitForWork([](RankExecutor &) { pause(1500); });
  EXPECT_EQ(status.kind(), StatusKind::TimedOut);
  EXPECT_NE(status.message().find("rank    0, step      0: finished -  is between instructions\n"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("rank    1, step      0: finished -  waits at the barrier of a "
                                  "test for 0."),
            std::string::npos)
      << status.message();
}

// Others wait as long as a rank reads or writes, if it moves on.
TEST(Watchdog, WaitsForSlowWork) {
  auto work = [](RankExecutor &rank, double patience) {
    LocalWork reading = rank.atWork("reads data", patience);
    for (int i = 0; i < 10; ++i) {
      pause(150);
      abi::beat();
    }
  };
  EXPECT_EQ(waitForWork([&](RankExecutor &rank) { work(rank, 0.2); }).message(), "");
  EXPECT_EQ(waitForWork([&](RankExecutor &rank) {
              LocalWork disk = rank.atWork("saves parameters"); // one long call of the system
              pause(1500);
            }).message(),
            "");
}

// Work that does not move on is a rank that does nothing.
TEST(Watchdog, StuckWorkIsNamed) {
  Status status = waitForWork([](RankExecutor &rank) {
    LocalWork disk = rank.atWork("saves parameters", /*patience=*/0.4);
    pause(2500);
  });
  EXPECT_EQ(status.kind(), StatusKind::TimedOut);
  EXPECT_NE(status.message().find("finished -  saves parameters, without progress for "),
            std::string::npos)
      << status.message();
}

// A rank that waits in its work holds nobody up: it waits for a rank that does nothing.
TEST(Watchdog, WaitingInWorkIsNoWork) {
  Status status = waitForWork([](RankExecutor &rank) {
    LocalWork saving = rank.atWork("saves parameters");
    (void)rank.barrier("at another barrier");
    (void)rank.barrier("at a barrier to which nobody comes");
  });
  EXPECT_EQ(status.kind(), StatusKind::TimedOut);
  EXPECT_NE(status.message().find("waits at a barrier to which nobody comes for 0."),
            std::string::npos)
      << status.message();
}

// Work outside of the rank threads counts as well, and long after it nothing does.
TEST(Watchdog, TellsWhenAProcessWorkedLast) {
  WorkProgress work;
  Progress rank;
  ProcessWatch process{.ranks = {{&rank}}, .work = &work};
  EXPECT_EQ(lastWorkOf(process, 1), 0);
  {
    LocalWork reading(work, "reads data");
    work.lastBeat = nowNanoseconds() - 30'000'000'000;
    EXPECT_GT(lastWorkOf(process, 1), nowNanoseconds() - 1'000'000'000); // within its patience
    EXPECT_NE(progressTable(process).find("the process of rank 0 reads data, without progress for "
                                          "30.0 s"),
              std::string::npos)
        << progressTable(process);
    work.lastBeat = nowNanoseconds() - 70'000'000'000;
    EXPECT_LT(lastWorkOf(process, 1), nowNanoseconds() - 60'000'000'000);
    EXPECT_GT(lastWorkOf(process, 100), nowNanoseconds() - 1'000'000'000);
  }
  EXPECT_GT(lastWorkOf(process, 1), nowNanoseconds() - 1'000'000'000); // its end is a beat
  Progress::Waiting waiting(rank, nowNanoseconds() - 2'000'000'000);
  EXPECT_TRUE(isOverdue(process, 1, 0));
  EXPECT_FALSE(isOverdue(process, 3, 0));
  EXPECT_FALSE(isOverdue(process, 1, nowNanoseconds() - 500'000'000));
  rank.waitKind = WaitKind::Join;
  EXPECT_FALSE(isOverdue(process, 1, 0)); // loading takes longer
}

TEST(Watchdog, PatientRunsEnd) {
  auto session = Session::load(sleepy({0, 200, 0}), {.timeout = 5});
  ASSERT_TRUE(bool(session));
  EXPECT_TRUE(bool((*session)->runStep({})));
}

// A communicator accepts a limited number of batches at once. A rank that waits for room waits for
// the other ranks.
TEST(Watchdog, SeesARankThatWaitsToStart) {
  ProgramBuilder builder(2);
  abi::Section &section = builder.section("main");
  abi::Instruction &first = builder.launch(section, "slumber", {}, {0});
  for (int64_t duration : {0, 6000})
    first.mutable_launch()->mutable_scalars(0)->mutable_expression()->add_table(duration);
  for (int i = 0; i < 40; ++i) {
    uint32_t value = builder.buffer("value" + std::to_string(i), abi::PERSISTENT, abi::F32, {4});
    builder.allReduce(section, value).set_stream(abi::COMMUNICATION);
    builder.launch(section, "slumber", {}, {0}); // keeps adjacent collectives in two batches
  }
  builder.program.add_actions();
  auto session = Session::load(builder.executable, {.timeout = 0.3});
  ASSERT_TRUE(bool(session)) << session.status().message();
  Status status = (*session)->runStep({}).status();
  EXPECT_EQ(status.kind(), StatusKind::TimedOut);
  EXPECT_NE(status.message().find("waits in all_reduce 'all_reduce value16' for 0."),
            std::string::npos)
      << status.message();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // need the address space

/// Runs more ranks than a small address space has room for threads, and exits with the status.
/// Every rank waits until the run is aborted, so that no thread becomes free.
[[noreturn]] void runWithoutRoom(int64_t ranks) {
  static std::atomic<bool> givenUp = false;
  static const Progress progress;
  auto task = std::make_shared<RankThreadsTask>();
  task->body = [](int64_t) {
    while (!givenUp)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Status();
  };
  task->abort = [](const std::string &) { givenUp = true; };
  task->progress.assign(ranks, &progress);
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  limit.rlim_cur = rlim_t(pages * sysconf(_SC_PAGESIZE)) + (rlim_t(128) << 20);
  setrlimit(RLIMIT_AS, &limit);
  Status status = runRankThreads(task);
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::_Exit(status.exitCode());
}

TEST(FailureDeathTest, NoThreadForARank) {
  EXPECT_EXIT(runWithoutRoom(2000), testing::ExitedWithCode(5),
              "cannot start threads for [0-9]+ of 2000 ranks: ");
}

#endif

TEST(Failure, AnExceptionIsTheFailureOfItsRank) {
  auto aborted = std::make_shared<std::atomic<bool>>(false);
  static const Progress progress;
  auto task = std::make_shared<RankThreadsTask>();
  task->body = [aborted](int64_t rank) {
    if (rank == 2)
      throw std::bad_alloc();
    while (!*aborted)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Status(StatusKind::Aborted, "stopped");
  };
  task->abort = [aborted](const std::string &) { *aborted = true; };
  task->progress.assign(3, &progress);
  Status status = runRankThreads(task);
  EXPECT_EQ(status.kind(), StatusKind::Failed);
  EXPECT_EQ(status.describe(), "rank 2: std::bad_alloc");
}

TEST(Failure, OneRanksErrorEndsAll) {
  auto session = Session::load(makeMlp({.ranks = 4, .batch = 8, .widths = {4, 3}}));
  ASSERT_TRUE(bool(session));
  Status status = (*session)->onEveryRank([](RankExecutor &rank) {
    if (rank.rank() == 2)
      return Status::failed("out of paper").at({.rank = 2});
    return rank.world().barrier();
  });
  EXPECT_EQ(status.describe(), "rank 2: out of paper");
}

TEST(Failure, InvalidProgramIsRefused) {
  abi::Executable executable = makeMlp({.ranks = 2, .batch = 8, .widths = {4, 3}});
  executable.mutable_programs(0)->mutable_actions(0)->set_section(9);
  EXPECT_EQ(Session::load(std::move(executable)).status().message(),
            "programs[0].actions[0]: section: expected an index below 3, got 9");
}

} // namespace
} // namespace pcc::test
