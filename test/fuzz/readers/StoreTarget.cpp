// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends messages to a store from several connections, then closes them. The first byte of an input
// decides whether the store has a token. Each message begins with a row: its connection, its
// operation, and the lengths of its key and of its value. Other operations than those of frames
// send the value as it is.
#include "runtime/collective/store/Server.h"
#include "test/fuzz/readers/Target.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>

namespace {

using namespace pcc::runtime;

struct Row {
  uint8_t connection, operation, keyBytes, valueBytes, number;
  int8_t argument;
};

constexpr size_t connections = 3;

/// Removes and returns up to `count` bytes from the beginning of `bytes`.
std::string_view take(std::string_view &bytes, size_t count) {
  std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(taken.size());
  return taken;
}

/// Returns the bytes of the next message, and sets `connection` to the number of its connection.
std::string takeMessage(std::string_view &bytes, size_t &connection) {
  Row row = {};
  std::string_view head = take(bytes, sizeof row);
  std::memcpy(&row, head.data(), head.size());
  connection = row.connection % connections;
  std::string_view key = take(bytes, row.keyBytes), value = take(bytes, row.valueBytes);
  if (row.operation > uint8_t(store::Operation::Prove))
    return std::string(value);
  return store::makeFrame({.operation = store::Operation(row.operation),
                           .number = row.number,
                           .argument = row.argument},
                          key, value);
}

/// Waits until the store has handled what it has received: it then closes a connection that sends
/// no frame.
void awaitStore(const store::Server &server) {
  auto probe = store::Socket::connectTo({.port = server.port()}, /*seconds=*/5);
  if (!probe)
    return;
  timeval limit = {.tv_sec = 5, .tv_usec = 0};
  setsockopt(probe->get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  std::array<char, sizeof(store::Head)> bytes = {};
  (void)send(probe->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (recv(probe->get(), bytes.data(), bytes.size(), 0) < 0 && errno == EAGAIN) {
    std::fputs("the store does not answer\n", stderr);
    std::abort();
  }
}

} // namespace

static void sendToStore(std::string_view bytes) {
  std::string_view first = take(bytes, 1);
  store::Token token;
  if (!first.empty() && first[0] & 1)
    if (auto made = store::Token::make("a secret of all processes"))
      token = *made;
  auto server = store::Server::start({}, token);
  std::array<store::Socket, connections> sockets;
  while (server && !bytes.empty()) {
    size_t number = 0;
    std::string message = takeMessage(bytes, number);
    store::Socket &socket = sockets[number];
    if (!socket)
      if (auto connected = store::Socket::connectTo({.port = (*server)->port()}, /*seconds=*/5))
        socket = std::move(*connected);
    (void)send(socket.get(), message.data(), message.size(), MSG_NOSIGNAL);
  }
  if (!server)
    return;
  awaitStore(**server);
  sockets = {};
  awaitStore(**server);
}

PCC_FUZZ_TARGET(store, sendToStore)
