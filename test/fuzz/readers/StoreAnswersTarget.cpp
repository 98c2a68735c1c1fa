// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects a process to a false store, which sends the input and closes the connection. The first
// byte of an input decides whether the process has a token.
#include "runtime/collective/store/Client.h"
#include "test/fuzz/readers/Target.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

namespace {

using namespace pcc::runtime;

/// Seconds after which a missing answer is a finding.
constexpr double limit = 5;

/// Accepts a connection, sends `bytes` and closes it.
void playStore(const store::Socket &listener, std::string_view bytes) {
  pollfd ready = {listener.get(), POLLIN, 0};
  poll(&ready, 1, int(limit * 1000));
  store::Socket socket = listener.accept();
  (void)send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  shutdown(socket.get(), SHUT_WR);
  std::byte byte;
  ssize_t received = 0;
  do {
    pollfd more = {socket.get(), POLLIN, 0};
    if (poll(&more, 1, int(limit * 1000)) <= 0)
      return;
    received = recv(socket.get(), &byte, 1, 0);
  } while (received > 0 || (received < 0 && errno == EAGAIN));
}

void check(const Status &status) {
  if (status.kind() != pcc::abi::StatusKind::TimedOut)
    return;
  std::fputs("a process waits for a connection that is closed\n", stderr);
  std::abort();
}

} // namespace

static void answerProcess(std::string_view bytes) {
  store::Identity identity = {.process = 1, .name = "process 1", .ranks = "rank 1"};
  if (!bytes.empty() && bytes[0] & 1)
    if (auto made = store::Token::make("a secret of all processes"))
      identity.token = *made;
  auto listener = store::Socket::listenAt({});
  if (!listener)
    return;
  std::thread thread([&] { playStore(*listener, bytes.substr(bytes.empty() ? 0 : 1)); });
  auto client = store::Client::connect({.port = listener->port()}, identity, limit);
  check(client.status());
  if (client) {
    check((*client)->get({"a", "b"}, limit).status());
    check((*client)->add("count", 1, limit).status());
  }
  client = Status::failed("done"); // ends the connection
  thread.join();
}

PCC_FUZZ_TARGET(store_answers, answerProcess)
