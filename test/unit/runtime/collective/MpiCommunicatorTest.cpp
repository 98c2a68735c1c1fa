// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communicator over MPI. mpirun starts several processes, each of which runs every test at the
// same time. Ranks are spread over the processes, unevenly if their number requires it.

#include "runtime/collective/mpi/MpiWorld.h"
#include "test/unit/runtime/collective/CommunicatorConformance.h"

#include <sys/resource.h>

namespace pcc::test {
namespace {

using namespace runtime;

/// The engine of this process: MPI can be initialized only once.
std::shared_ptr<mpi::Engine> engine;

World makeWorld(int ranks, mpi::WorldOptions options = {}) {
  auto world = mpi::makeWorld(engine, ranks, options);
  EXPECT_TRUE(bool(world)) << world.status().message();
  auto communicators = (*world)->connect();
  EXPECT_TRUE(bool(communicators)) << communicators.status().message();
  return std::move(*communicators);
}

INSTANTIATE_TEST_SUITE_P(Mpi, CommunicatorConformance,
                         testing::Values(Conformance{"ordered",
                                                     [](int ranks) { return makeWorld(ranks); }}),
                         [](const auto &info) { return info.param.name; });

/// Returns an all-reduce that sums all ranks' numbers in place.
CollectiveCall sumOf(std::vector<float> &data) {
  CollectiveCall call;
  call.kind = abi::ALL_REDUCE;
  call.source = call.destination = data.data();
  call.shape = {int64_t(data.size())};
  return call;
}

// Whole numbers have the same sum in any order. Tests packed calls, and one call that is too large
// to pack.
TEST(MpiWorld, LibrarySums) {
  onEveryRank(makeWorld(8, {.reductions = mpi::Reductions::Library}), [](Communicator &rank) {
    for (size_t count : {1, 1000, 100000}) {
      std::vector<float> data[] = {std::vector<float>(3, 1), {}, std::vector<float>(5, 2)};
      data[1].assign(count, float(rank.position() + 1));
      CollectiveCall calls[] = {sumOf(data[0]), sumOf(data[1]), sumOf(data[2])};
      calls[1].fused = calls[2].fused = true;
      EXPECT_TRUE(rank.run(calls).ok());
      EXPECT_EQ(data[0], std::vector<float>(3, 8));
      EXPECT_EQ(data[1], std::vector<float>(count, 36));
      EXPECT_EQ(data[2], std::vector<float>(5, 16));
    }
  });
}

// Ranks may wait for long, and waiting ranks need no core.
TEST(MpiWorld, WaitingTakesNoCore) {
  auto cpuSeconds = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  };
  World world = makeWorld(engine->processes());
  double before = cpuSeconds();
  onEveryRank(world, [](Communicator &rank) {
    if (rank.position() == 0)
      std::this_thread::sleep_for(std::chrono::seconds(2));
    EXPECT_TRUE(rank.barrier().ok());
  });
  EXPECT_LT(cpuSeconds() - before, 0.2);
}

TEST(MpiWorld, EveryProcessIsNamedAndAnswers) {
  auto world = mpi::makeWorld(engine, 8, {});
  ASSERT_TRUE(bool(world));
  int own = (*world)->process();
  EXPECT_TRUE((*world)->nameOf(own).starts_with("process " + std::to_string(own) + " (" +
                                                std::to_string(getpid()) + " on "));
  (*world)->answerWith([own] { return "here is " + std::to_string(own); });
  auto communicators = (*world)->connect();
  ASSERT_TRUE(bool(communicators));
  onEveryRank(*communicators, [](Communicator &rank) { EXPECT_TRUE(rank.barrier().ok()); });
  auto answers = (*world)->ask(20);
  for (int p = 0; p < (*world)->processes(); ++p)
    EXPECT_EQ(answers[size_t(p)].value_or("nothing"),
              p == own ? "nothing" : "here is " + std::to_string(p));
  onEveryRank(*communicators, [](Communicator &rank) { EXPECT_TRUE(rank.barrier().ok()); });
}

TEST(MpiWorld, ProcessesMustRunTheSame) {
  auto world = mpi::makeWorld(engine, 8, {.common = engine->process() == 1 ? "this" : "that"});
  if (engine->processes() > 1) {
    EXPECT_EQ(world.status().kind(), StatusKind::BadUsage);
    EXPECT_TRUE(world.status().message().starts_with("process 1 (")) << world.status().message();
    EXPECT_NE(world.status().message().find(") runs another program than process 0 ("),
              std::string::npos);
  }
}

/// Runs an all-reduce of `count` numbers and returns its error message.
std::string sum(Communicator &rank, size_t count) {
  std::vector<float> data(count, 1);
  CollectiveCall call = sumOf(data);
  return rank.run({&call, 1}).message();
}

// Every process has the same list of batches, so a hash of each list would be equal.
TEST(MpiWorld, MembersOfEachProcessDiffer) {
  onEveryRank(makeWorld(2 * engine->processes()), [](Communicator &rank) {
    EXPECT_EQ(sum(rank, rank.position() % 2 ? 5 : 3),
              "rank 0 called all_reduce of 3xf32, axis 0, root 0, but rank 1 called all_reduce of "
              "5xf32, axis 0, root 0");
    EXPECT_EQ(sum(rank, 4), ""); // nothing was started, so the group still works
  });
}

TEST(MpiWorld, MessageOfAnotherSize) {
  onEveryRank(makeWorld(2), [](Communicator &rank) {
    if (engine->processes() == 1)
      return; // a local group has a fused collective of its own
    std::vector<float> data(4);
    CollectiveCall call;
    call.kind = rank.position() == 0 ? abi::SEND : abi::RECV;
    call.source = call.destination = data.data();
    call.shape = {rank.position() == 0 ? 3 : 4};
    call.root = 1 - rank.position();
    Status status = rank.run({&call, 1});
    EXPECT_EQ(status.message(),
              rank.position() == 0 ? ""
                                   : "rank 0 sent 12 bytes, but rank 1 expected 4 elements of f32");
  });
}

} // namespace
} // namespace pcc::test

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  auto library = pcc::runtime::mpi::openLibrary();
  if (!library) {
    fmt::print(stderr, "{}\n", library.status().message());
    return 1;
  }
  auto engine = pcc::runtime::mpi::Engine::begin(**library, /*oversubscribed=*/true);
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.status().message());
    return 1;
  }
  pcc::test::engine = *engine;
  int code = RUN_ALL_TESTS();
  if (code == 0)
    code = (*engine)->end().exitCode();
  std::fflush(nullptr);
  _exit(code);
}
