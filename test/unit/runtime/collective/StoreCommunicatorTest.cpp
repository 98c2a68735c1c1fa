// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks joined by a store. Several worlds in this process act as separate processes.

#include "runtime/collective/store/StoreWorld.h"
#include "test/unit/runtime/collective/CommunicatorConformance.h"

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns an address on which nobody listens.
store::Address freeAddress() {
  auto socket = store::Socket::listenAt({});
  return {.port = socket ? socket->port() : 0};
}

using Worlds = std::vector<std::unique_ptr<runtime::World>>;

/// Runs `body` for each of several processes at once.
void onEveryProcess(int processes, const std::function<void(int process)> &body) {
  std::vector<std::thread> threads;
  for (int process = 0; process < processes; ++process)
    threads.emplace_back([&, process] { body(process); });
  for (std::thread &thread : threads)
    thread.join();
}

Worlds makeWorlds(int ranks, int processes) {
  Worlds worlds{size_t(processes)};
  store::Address address = freeAddress();
  onEveryProcess(processes, [&](int process) {
    auto world = store::makeWorld(
        {.address = address, .process = process, .processes = processes, .ranks = ranks});
    ASSERT_TRUE(bool(world)) << world.status().message();
    worlds[size_t(process)] = std::move(*world);
  });
  return worlds;
}

World connectAll(Worlds &worlds) {
  World all;
  for (auto &world : worlds) {
    auto own = world->connect();
    std::move(own->begin(), own->end(), std::back_inserter(all));
  }
  return all;
}

/// Makes ranks of the latest test and keeps their worlds alive, which the communicators need.
template <int processes> World makeRanks(int ranks) {
  static Worlds worlds;
  worlds = makeWorlds(ranks, processes);
  return connectAll(worlds);
}

INSTANTIATE_TEST_SUITE_P(Store, CommunicatorConformance,
                         testing::Values(Conformance{"one", makeRanks<1>},
                                         Conformance{"three", makeRanks<3>}),
                         [](const auto &info) { return info.param.name; });

TEST(StoreWorld, EveryProcessIsNamedAndAnswers) {
  Worlds worlds = makeWorlds(6, 3);
  for (int process = 0; process < 3; ++process)
    worlds[size_t(process)]->answerWith([=] { return "here is " + std::to_string(process); });
  for (int process = 0; process < 3; ++process) {
    EXPECT_TRUE(worlds[0]->nameOf(process).starts_with(
        fmt::format("process {} ({} on ", process, getpid())));
    auto answers = worlds[size_t(process)]->ask(20);
    for (int other = 0; other < 3; ++other)
      EXPECT_EQ(answers[size_t(other)].value_or("nothing"),
                other == process ? "nothing" : "here is " + std::to_string(other));
  }
  onEveryProcess(3, [&](int process) { EXPECT_TRUE(worlds[size_t(process)]->close().ok()); });
}

TEST(StoreWorld, ProcessesMustRunTheSame) {
  store::Address address = freeAddress();
  onEveryProcess(2, [&](int process) {
    auto world = store::makeWorld({.address = address,
                                   .process = process,
                                   .processes = 2,
                                   .ranks = 2,
                                   .common = process == 0 ? "this" : "that"});
    // Process 0 may have refused and left before process 1 hears the reason.
    if (process == 1 && world.status().kind() == StatusKind::Failed) {
      EXPECT_EQ(world.status().message(), "process 0, which has the store, is gone");
      return;
    }
    EXPECT_EQ(world.status().kind(), StatusKind::BadUsage);
    EXPECT_NE(world.status().message().find(") runs another program than process 0 ("),
              std::string::npos)
        << world.status().message();
  });
}

TEST(StoreWorld, WhoDoesNotComeIsNamed) {
  store::Address address = freeAddress();
  onEveryProcess(2, [&](int process) {
    auto world = store::makeWorld(
        {.address = address, .process = process, .processes = 3, .ranks = 3, .startTimeout = 0.5});
    EXPECT_TRUE(world.status().message().starts_with("of 3 processes these have not come within "
                                                     "0.5 s: 2") ||
                process == 1) // process 0 may be gone by then
        << world.status().message();
  });
}

// A lost process ends the waits of the others, with its name.
TEST(StoreWorld, NamesAProcessThatIsGone) {
  Worlds worlds = makeWorlds(3, 3);
  World ranks = connectAll(worlds);
  std::string name = worlds[0]->nameOf(2);
  ranks.pop_back();
  worlds.pop_back();
  onEveryRank(ranks,
              [&](Communicator &rank) { EXPECT_EQ(rank.barrier().message(), name + " is gone"); });
}

TEST(StoreWorld, MessageOfAnotherSize) {
  Worlds worlds = makeWorlds(2, 2);
  onEveryRank(connectAll(worlds), [](Communicator &rank) {
    std::vector<float> data(4);
    CollectiveCall call;
    call.kind = rank.position() == 0 ? abi::SEND : abi::RECV;
    call.source = call.destination = data.data();
    call.shape = {rank.position() == 0 ? 3 : 4};
    call.root = 1 - rank.position();
    EXPECT_EQ(rank.run({&call, 1}).message(),
              rank.position() == 0 ? ""
                                   : "rank 0 sent 3 elements of f32, but rank 1 expected 4 of f32");
  });
}

} // namespace
} // namespace pcc::test
