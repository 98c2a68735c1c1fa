// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The store, and ranks that it joins: several worlds in this process, as if each were another's.

#include "runtime/collective/store/Client.h"
#include "runtime/collective/store/Server.h"
#include "runtime/collective/store/StoreWorld.h"
#include "test/unit/runtime/CommunicatorConformance.h"

namespace pcc::test {
namespace {

using namespace runtime;

/// An address at which nobody listens.
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

/// The worlds of the latest test, for its communicators need them.
template <int processes> World makeRanks(int ranks) {
  static Worlds worlds;
  worlds = makeWorlds(ranks, processes);
  return connectAll(worlds);
}

INSTANTIATE_TEST_SUITE_P(Store, CommunicatorConformance,
                         testing::Values(Conformance{"one", makeRanks<1>},
                                         Conformance{"three", makeRanks<3>}),
                         [](const auto &info) { return info.param.name; });

/// A store with as many clients.
struct Clients {
  explicit Clients(int count) {
    auto started = store::Server::start({});
    server = std::move(*started);
    for (int i = 0; i < count; ++i)
      list.push_back(*store::Client::connect({.port = server->port()}, fmt::format("client {}", i),
                                             /*seconds=*/5));
  }
  std::unique_ptr<store::Server> server;
  std::vector<std::shared_ptr<store::Client>> list;
};

TEST(Store, GetWaitsForSet) {
  Clients clients(2);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(clients.list[1]->set("a", "1").ok());
    EXPECT_TRUE(clients.list[1]->set("b", std::string(3000000, 'x')).ok());
  });
  auto values = clients.list[0]->get({"a", "b"});
  later.join();
  ASSERT_TRUE(bool(values)) << values.status().message();
  EXPECT_EQ((*values)[0], "1");
  EXPECT_EQ((*values)[1], std::string(3000000, 'x'));
}

TEST(Store, WhatIsUsedUpOrDeletedIsGone) {
  Clients clients(1);
  store::Client &client = *clients.list[0];
  EXPECT_TRUE(client.set("twice", "x", /*uses=*/2).ok());
  EXPECT_TRUE(client.set("stays", "y").ok());
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(bool(client.get({"twice", "stays"}, 5)));
  EXPECT_EQ(client.get({"twice"}, 0.05).status().message(), "no answer of the store within 0.05 s");
  EXPECT_TRUE(client.remove("stays").ok());
  EXPECT_EQ(client.get({"stays"}, 0.05).status().kind(), StatusKind::TimedOut);
}

TEST(Store, AddsAtOnePlace) {
  constexpr int count = 4, rounds = 100;
  Clients clients(count);
  onEveryProcess(count, [&](int i) {
    for (int round = 0; round < rounds; ++round)
      EXPECT_TRUE(bool(clients.list[size_t(i)]->add("sum", 2)));
  });
  EXPECT_EQ(*clients.list[0]->add("sum", 0), 2 * count * rounds);
}

// Whoever goes without a word is named; one who says so is not.
TEST(Store, NamesWhoIsLost) {
  Clients clients(3);
  clients.list[1]->leave();
  clients.list.erase(clients.list.begin() + 1);
  EXPECT_EQ(clients.list[0]->get({store::lostKey}, 0.05).status().kind(), StatusKind::TimedOut);
  clients.list.pop_back();
  auto lost = clients.list[0]->get({store::lostKey}, 5);
  ASSERT_TRUE(bool(lost)) << lost.status().message();
  EXPECT_EQ(lost->front(), "client 2");
}

TEST(Store, AStrangerIsSentAway) {
  Clients clients(1);
  auto stranger = store::Socket::connectTo({.port = clients.server->port()}, 5);
  ASSERT_TRUE(bool(stranger));
  std::string text = "GET / HTTP/1.1\r\nHost: somebody who takes this for something else\r\n\r\n";
  EXPECT_TRUE(stranger->send(std::as_bytes(std::span(text))));
  std::byte answer;
  EXPECT_FALSE(stranger->receive({&answer, 1}));
  EXPECT_TRUE(clients.list[0]->set("a", "1").ok());
  EXPECT_TRUE(bool(clients.list[0]->get({"a"}, 5)));
}

TEST(Store, WithoutAServer) {
  store::Address address = freeAddress();
  auto client = store::Client::connect(address, "nobody", 0.05);
  EXPECT_EQ(client.status().message(),
            fmt::format("no store at {} within 0.05 s: Connection refused; process 0 has it",
                        address.text()));
}

TEST(Store, PortThatSomebodyHas) {
  auto first = store::Server::start({});
  store::Address address{.port = (*first)->port()};
  EXPECT_EQ(store::Server::start(address).status().message(),
            fmt::format("the store cannot listen at {}: Address already in use", address.text()));
}

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
        {.address = address, .process = process, .processes = 3, .ranks = 3, .patience = 0.5});
    EXPECT_TRUE(world.status().message().starts_with("of 3 processes these have not come within "
                                                     "0.5 s: 2") ||
                process == 1) // process 0 may be gone by then
        << world.status().message();
  });
}

// A process that is gone ends the waits of the others, with its name.
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
