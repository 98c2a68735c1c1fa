// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The store and its clients, and their reactions to peers that are neither.

#include "runtime/collective/store/Client.h"
#include "runtime/collective/store/Server.h"
#include "test/unit/runtime/collective/FailingAllocation.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <limits>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns an address on which nobody listens.
store::Address freeAddress() {
  auto socket = store::Socket::listenAt({});
  return {.port = socket ? socket->port() : 0};
}

/// More than the system's buffers take.
constexpr size_t manyBytes = size_t(64) << 20;

/// A store with `count` clients.
struct Clients {
  explicit Clients(int count) {
    auto started = store::Server::start({});
    server = std::move(*started);
    for (int i = 0; i < count; ++i)
      list.push_back(*connect(i));
  }

  Expected<std::shared_ptr<store::Client>> connect(int process) const {
    return store::Client::connect({.port = server->port()},
                                  {.process = process, .name = fmt::format("client {}", process)},
                                  /*seconds=*/5);
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

TEST(Store, WhatIsUsedUpIsGone) {
  Clients clients(1);
  store::Client &client = *clients.list[0];
  EXPECT_TRUE(client.set("twice", "x", /*uses=*/2).ok());
  EXPECT_TRUE(client.set("stays", "y").ok());
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(bool(client.get({"twice", "stays"}, 5)));
  EXPECT_EQ(client.get({"twice"}, 0.05).status().message(), "no answer of the store within 0.05 s");
  EXPECT_TRUE(bool(client.get({"stays"}, 5)));
}

TEST(Store, AddsAtOnePlace) {
  constexpr int count = 4, rounds = 100;
  Clients clients(count);
  std::vector<std::thread> threads;
  for (const auto &client : clients.list)
    threads.emplace_back([&client] {
      for (int round = 0; round < rounds; ++round)
        EXPECT_TRUE(bool(client->add("sum", 2)));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(*clients.list[0]->add("sum", 0), 2 * count * rounds);
}

// A number that is none, or that would overflow, ends the connection of the client that adds.
TEST(Store, RefusesWrongSums) {
  Clients clients(3);
  EXPECT_TRUE(clients.list[2]->set("word", "twelve").ok());
  EXPECT_TRUE(bool(clients.list[2]->get({"word"}, 5)));
  EXPECT_EQ(clients.list[0]->add("word", 1, 5).status().message(),
            "the value of 'word' is not a number");
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(*clients.list[1]->add("sum", most, 5), most);
  EXPECT_EQ(clients.list[1]->add("sum", 1, 5).status().message(),
            "the number 'sum' would overflow");
}

// Connections that never say who they are do not keep processes away, however many they are.
TEST(Store, SilentConnectionsAreEnded) {
  Clients clients(1);
  std::vector<store::Socket> strangers;
  for (int i = 0; i < 300; ++i) {
    auto stranger = store::Socket::connectTo({.port = clients.server->port()}, 5);
    ASSERT_TRUE(bool(stranger));
    strangers.push_back(std::move(*stranger));
  }
  EXPECT_TRUE(bool(clients.connect(1)));
  std::byte byte;
  EXPECT_FALSE(strangers.front().receive(std::span(&byte, 1))); // the oldest is closed
}

// A client that disconnects without leaving is named; a client that leaves is not.
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

// An exception ends the store, and every process gets the reason.
TEST(Store, AStoreWithoutMemoryNamesItsRank) {
  if (!FailingAllocation::isPossible())
    GTEST_SKIP() << "the thread sanitizer has the allocation functions";
  Clients clients(2);
  FailingAllocation::exemptThisThread();
  FailingAllocation full(manyBytes / 4);
  (void)clients.list[0]->set("large", std::string(manyBytes, 'x'));
  for (const auto &client : clients.list)
    EXPECT_EQ(client->get({"never"}, 20).status().message(),
              "rank 0: the thread of the store: std::bad_alloc");
  EXPECT_EQ(clients.server->waitUntilLeft(2, 20), (std::vector<int>{0, 1}));
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
  auto client = store::Client::connect(address, {.name = "nobody"}, 0.05);
  EXPECT_EQ(client.status().message(),
            fmt::format("no store at {} within 0.05 s: Connection refused; process 0 opens it",
                        address.text()));
}

TEST(Store, PortThatSomebodyHas) {
  auto first = store::Server::start({});
  store::Address address{.port = (*first)->port()};
  EXPECT_EQ(store::Server::start(address).status().message(),
            fmt::format("the store cannot listen at {}: Address already in use", address.text()));
}

// A second value for a key is refused, and its client is disconnected. An offer may come too late.
TEST(Store, AKeyIsSetOnce) {
  Clients clients(2);
  EXPECT_TRUE(clients.list[0]->set("a", "1").ok());
  EXPECT_TRUE(clients.list[0]->offer("a", "2").ok());
  EXPECT_EQ(clients.list[0]->get({"a"}, 5)->front(), "1");
  EXPECT_TRUE(clients.list[1]->set("a", "3").ok());
  EXPECT_EQ(clients.list[1]->get({"b"}, 5).status().message(),
            "the store has a value of 'a' already");
  EXPECT_EQ(clients.list[0]->get({"a"}, 5)->front(), "1");
}

TEST(Store, AProcessComesOnce) {
  Clients clients(2);
  EXPECT_EQ(clients.connect(1).status().message(),
            "client 1 is not the first process 1: client 1 has come before it");
  EXPECT_EQ(clients.list[0]->get({store::lostKey}, 0.05).status().kind(), StatusKind::TimedOut);
}

// Data of a connection that is not a process yet are not kept.
TEST(Store, OnlyAProcessMaySayMuch) {
  Clients clients(1);
  for (store::Head head :
       {store::Head{.valueBytes = uint64_t(1) << 30}, store::Head{.keyBytes = 5, .valueBytes = 5},
        store::Head{.operation = store::Operation::Set, .keyBytes = 1}}) {
    auto stranger = store::Socket::connectTo({.port = clients.server->port()}, 5);
    ASSERT_TRUE(bool(stranger));
    EXPECT_TRUE(stranger->send(std::as_bytes(std::span(&head, 1))));
    std::byte answer;
    EXPECT_FALSE(stranger->receive({&answer, 1}));
  }
}

/// Listens as a store does and sends a prepared answer to each request. Then disconnects, or stays
/// silent.
class Stranger {
public:
  explicit Stranger(std::vector<std::string> answers, bool stays = false)
      : listener(std::move(*store::Socket::listenAt({}))), thread([this, answers, stays] {
          await(listener);
          store::Socket socket = listener.accept();
          for (const std::string &answer : answers) {
            hear(socket);
            EXPECT_TRUE(socket.send(std::as_bytes(std::span(answer))));
          }
          while (stays && hear(socket))
            continue;
        }) {}
  ~Stranger() { thread.join(); }

  store::Address address() const { return {.port = listener.port()}; }

private:
  static void await(const store::Socket &socket) {
    pollfd place = {socket.get(), POLLIN, 0};
    poll(&place, 1, /*milliseconds=*/5000);
  }
  static bool hear(const store::Socket &socket) {
    await(socket);
    char bytes[4096];
    return recv(socket.get(), bytes, sizeof bytes, 0) > 0;
  }

  store::Socket listener;
  std::thread thread;
};

store::Token tokenOf(const std::string &secret) {
  auto token = store::Token::make(secret);
  EXPECT_TRUE(bool(token)) << token.status().message();
  return token ? *token : store::Token();
}

/// Connects with a token, and returns the error.
std::string joinWith(store::Token token, int port, int process = 0) {
  store::Identity identity{.process = process, .name = "client", .token = std::move(token)};
  return store::Client::connect({.port = port}, std::move(identity), 5).status().message();
}

TEST(Token, AdmitsThoseWhoHaveIt) {
  store::Token token = tokenOf("sixteen letters!");
  auto server = store::Server::start({}, token);
  ASSERT_TRUE(bool(server));
  EXPECT_EQ(joinWith(token, (*server)->port()), "");
  EXPECT_EQ(joinWith(tokenOf("sixteen letters?"), (*server)->port(), 1),
            "client has another token than the store");
  EXPECT_EQ(joinWith({}, (*server)->port(), 1),
            fmt::format("the store at 127.0.0.1:{} asks for a token: set PCC_STORE_TOKEN or "
                        "PCC_STORE_TOKEN_FILE in the environment of all processes",
                        (*server)->port()));
  EXPECT_EQ(joinWith(token, (*server)->port(), 1), ""); // who was refused has not taken the number
}

// A store without the token could take a process's data, so the process does not stay.
TEST(Token, TheStoreMustHaveItToo) {
  auto server = store::Server::start({});
  EXPECT_EQ(joinWith(tokenOf("sixteen letters!"), (*server)->port()),
            fmt::format("the store at 127.0.0.1:{} does not prove that it has this process's token",
                        (*server)->port()));
}

// Whoever only repeats what a process sent gets nowhere: each connection has a challenge of its
// own.
TEST(Token, ProofsAreOfOneConnection) {
  store::Token token = tokenOf("sixteen letters!");
  auto first = store::makeChallenge(), second = store::makeChallenge();
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  store::Proof proof = token.prove(store::Role::Process, *first, *second, 3, "name");
  auto isProof = [&](store::Role role, const store::Challenge &ofStore,
                     const store::Challenge &ofProcess, int64_t process, const char *name) {
    return token.isProof({proof.data(), proof.size()}, role, ofStore, ofProcess, process, name);
  };
  EXPECT_TRUE(isProof(store::Role::Process, *first, *second, 3, "name"));
  EXPECT_FALSE(isProof(store::Role::Store, *first, *second, 3, "name"));
  EXPECT_FALSE(isProof(store::Role::Process, *second, *second, 3, "name"));
  EXPECT_FALSE(isProof(store::Role::Process, *first, *first, 3, "name"));
  EXPECT_FALSE(isProof(store::Role::Process, *first, *second, 4, "name"));
  EXPECT_FALSE(isProof(store::Role::Process, *first, *second, 3, "names"));
  EXPECT_FALSE(token.isProof({proof.data(), proof.size() - 1}, store::Role::Process, *first,
                             *second, 3, "name"));
}

// The expected proof is by Python's hmac.
TEST(Token, ProofsAreHmacSha256) {
  store::Challenge ofStore, ofProcess;
  ofStore.fill('a');
  ofProcess.fill('b');
  store::Proof proof = tokenOf("sixteen letters!")
                           .prove(store::Role::Process, ofStore, ofProcess, 258, "process 258");
  std::string hex;
  for (char byte : proof)
    hex += fmt::format("{:02x}", uint8_t(byte));
  EXPECT_EQ(hex, "a5347c2e5cf0f62f1618d618401d66a71ac8fe198b8db9d9b52ba40777f55d58");
}

/// Reads the token from an environment of one variable.
Expected<store::Token> tokenFrom(const std::string &variable, const std::string &value) {
  return store::readToken(
      [&](const char *name) { return name == variable ? value.c_str() : nullptr; });
}

TEST(Token, IsReadFromTheEnvironment) {
  EXPECT_FALSE(bool(*tokenFrom("PATH", "sixteen letters!")));
  EXPECT_TRUE(bool(*tokenFrom("PCC_STORE_TOKEN", "sixteen letters!")));
  EXPECT_EQ(
      tokenFrom("PCC_STORE_TOKEN", "").status().message(),
      "the token of the store: expected at least 16 characters, got 0; 'openssl rand -hex 32' "
      "makes a good one");
  std::string path = testing::TempDir() + "token";
  std::ofstream(path) << "sixteen letters!\nand more\n";
  chmod(path.c_str(), 0640);
  EXPECT_EQ(
      tokenFrom("PCC_STORE_TOKEN_FILE", path).status().message(),
      fmt::format("the environment's 'PCC_STORE_TOKEN_FILE': {}: expected a file that only its "
                  "owner may read, got mode 640; 'chmod 600' makes it one",
                  path));
  chmod(path.c_str(), 0600);
  auto token = tokenFrom("PCC_STORE_TOKEN_FILE", path);
  ASSERT_TRUE(bool(token)) << token.status().message();
  auto server = store::Server::start({}, *token);
  EXPECT_EQ(joinWith(tokenOf("sixteen letters!"), (*server)->port()), "");
  std::remove(path.c_str());
  EXPECT_EQ(
      tokenFrom("PCC_STORE_TOKEN_FILE", path).status().message(),
      fmt::format("the environment's 'PCC_STORE_TOKEN_FILE': {}: cannot open: No such file or "
                  "directory",
                  path));
}

/// Admits one process, then takes no bytes, like a store whose process is stopped.
class StoppedStore {
public:
  StoppedStore()
      : thread([this] {
          pollfd place = {listener.get(), POLLIN, 0};
          poll(&place, 1, /*milliseconds=*/5000);
          connection = listener.accept();
          poll(&(place = {connection.get(), POLLIN, 0}), 1, /*milliseconds=*/5000); // its Hello
          std::string answer = store::makeFrame({.operation = store::Operation::Answer}, "", "");
          EXPECT_TRUE(connection.send(std::as_bytes(std::span(answer))));
        }) {}
  ~StoppedStore() { thread.join(); }

  store::Address address() const { return {.port = listener.port()}; }

private:
  store::Socket listener = std::move(*store::Socket::listenAt({})), connection;
  std::thread thread;
};

TEST(Client, AStoppedStoreHoldsNobody) {
  StoppedStore stopped;
  auto client = store::Client::connect(stopped.address(), {.name = "client"}, 5);
  ASSERT_TRUE(bool(client)) << client.status().message();
  std::thread sender(
      [&] { EXPECT_EQ((*client)->set("key", std::string(manyBytes, 'x')).message(), "enough"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // Another thread asks in vain, and aborts the run, which ends the send.
  EXPECT_EQ((*client)->add("questions", 1, /*seconds=*/0.3).status().kind(), StatusKind::TimedOut);
  (*client)->abortRun({StatusKind::Aborted, "enough"});
  sender.join();
}

TEST(Client, WhatIsNoStoreIsNamed) {
  auto huge = store::makeFrame({.operation = store::Operation::Answer}, "", "");
  uint64_t length = uint64_t(1) << 60;
  std::memcpy(huge.data() + offsetof(store::Head, valueBytes), &length, sizeof length);
  auto garbage = std::string(100, '\xff');
  for (const std::string &text :
       {std::string(), std::string("SSH-2.0"), std::string("HTTP/1.1 400 Bad Request\r\n\r\n"),
        garbage, huge, store::makeFrame({.operation = store::Operation::Hello}, "", "")}) {
    Stranger stranger({text});
    EXPECT_EQ(store::Client::connect(stranger.address(), {.name = "client"}, 5).status().message(),
              fmt::format("what answers at {} is no store of pcc", stranger.address().text()));
  }
}

TEST(Client, WhatSaysNothingIsNamed) {
  Stranger stranger({}, /*stays=*/true);
  EXPECT_EQ(store::Client::connect(stranger.address(), {.name = "client"}, 0.1).status().message(),
            fmt::format("what listens at {} does not answer as a store of pcc within 0.1 s",
                        stranger.address().text()));
}

// A length within the limit without data takes no memory. Fewer values than keys, and truncated
// values, are detected.
TEST(Client, AnswersAreChecked) {
  std::string hello = store::makeFrame({.operation = store::Operation::Answer}, "", "");
  auto answerOf = [&](const std::string &values, uint64_t length) {
    std::string frame =
        store::makeFrame({.operation = store::Operation::Answer, .number = 1}, "", values);
    std::memcpy(frame.data() + offsetof(store::Head, valueBytes), &length, sizeof length);
    Stranger stranger({hello, frame});
    auto client = store::Client::connect(stranger.address(), {.name = "client"}, 5);
    EXPECT_TRUE(bool(client)) << client.status().message();
    return (*client)->get({"a", "b"}, 5).status().message();
  };
  std::string values;
  store::joinValue(values, "one");
  EXPECT_EQ(answerOf(values, values.size()), "the store gave 1 values of 2 keys");
  store::joinValue(values, "two");
  EXPECT_EQ(answerOf(values, values.size()), "");
  values.pop_back();
  EXPECT_EQ(answerOf(values, values.size()), "the store gave 1 values of 2 keys");
  EXPECT_EQ(answerOf("", 0), "the store gave 0 values of 2 keys");
  EXPECT_EQ(answerOf(values, uint64_t(1) << 39), "process 0, which has the store, is gone");
}

// An exception of the receiving thread ends the waits of its process.
TEST(Client, AProcessWithoutMemoryNamesItsRank) {
  if (!FailingAllocation::isPossible())
    GTEST_SKIP() << "the thread sanitizer has the allocation functions";
  std::string hello = store::makeFrame({.operation = store::Operation::Answer}, "", "");
  std::string large = store::makeFrame({.operation = store::Operation::Answer, .number = 1}, "",
                                       std::string(manyBytes, 'x'));
  auto listener = store::Socket::listenAt({});
  std::thread server([&] {
    FailingAllocation::exemptThisThread();
    pollfd place = {listener->get(), POLLIN, 0};
    poll(&place, 1, /*milliseconds=*/5000);
    store::Socket socket = listener->accept();
    for (const std::string &answer : {hello, large}) {
      poll(&(place = {socket.get(), POLLIN, 0}), 1, /*milliseconds=*/5000);
      char bytes[4096];
      (void)recv(socket.get(), bytes, sizeof bytes, 0);
      (void)socket.send(std::as_bytes(std::span(answer)), [] { return true; });
    }
  });
  auto client = store::Client::connect({.port = listener->port()},
                                       {.name = "client", .ranks = "ranks 2 to 3"}, 5);
  ASSERT_TRUE(bool(client)) << client.status().message();
  FailingAllocation full(manyBytes / 4);
  EXPECT_EQ((*client)->get({"a"}, 20).status().message(),
            "ranks 2 to 3: the thread of the store: std::bad_alloc");
  server.join();
}

/// Whether a listener on the host is reachable at every address of this machine.
bool isOpenToAll(const std::string &host) {
  auto socket = store::Socket::listenAt({host});
  EXPECT_TRUE(bool(socket)) << socket.status().message();
  sockaddr_storage place = {};
  socklen_t size = sizeof place;
  getsockname(socket->get(), reinterpret_cast<sockaddr *>(&place), &size);
  char number[64] = "";
  getnameinfo(reinterpret_cast<sockaddr *>(&place), size, number, sizeof number, nullptr, 0,
              NI_NUMERICHOST);
  return std::string_view(number) == "0.0.0.0" || std::string_view(number) == "::";
}

// A connection may be gone between poll() and accept(); the thread of the store must not wait then.
TEST(Socket, AcceptDoesNotWait) {
  auto listener = store::Socket::listenAt({});
  ASSERT_TRUE(bool(listener)) << listener.status().message();
  EXPECT_FALSE(bool(listener->accept()));
  EXPECT_EQ(errno, EAGAIN);
}

// A machine's own name often means the loopback to itself, and another address to other machines.
TEST(Socket, AMachinesNameIsReachedFromOthers) {
  for (const char *host : {"localhost", "127.0.0.1", "127.0.1.1"})
    EXPECT_FALSE(isOpenToAll(host)) << host;
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  addrinfo *found = nullptr;
  if (getaddrinfo(name, nullptr, nullptr, &found) != 0)
    GTEST_SKIP() << "nobody knows " << name;
  freeaddrinfo(found);
  if (std::string_view(name) != "localhost") {
    EXPECT_TRUE(isOpenToAll(name)) << name;
  }
}

} // namespace
} // namespace pcc::test
