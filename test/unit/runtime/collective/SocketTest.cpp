// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connections to addresses that do not answer.

#include "runtime/collective/store/Socket.h"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <vector>

namespace pcc::test {
namespace {

using namespace runtime;

// The system drops connections to a listener whose queue is full, as a network does that loses
// packets.
TEST(Socket, AConnectionThatNobodyAcceptsEndsInTime) {
  store::Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  auto *address = reinterpret_cast<sockaddr *>(&place);
  ASSERT_EQ(bind(listener.get(), address, size), 0);
  ASSERT_EQ(listen(listener.get(), /*backlog=*/0), 0);
  ASSERT_EQ(getsockname(listener.get(), address, &size), 0);
  std::vector<store::Socket> queued;
  std::string reason;
  for (int i = 0; i < 4 && reason.empty(); ++i) {
    auto socket =
        store::Socket::connectTo({.host = "127.0.0.1", .port = ntohs(place.sin_port)}, 0.2);
    if (socket)
      queued.push_back(std::move(*socket));
    else
      reason = socket.status().message();
  }
  EXPECT_FALSE(queued.empty());
  EXPECT_EQ(reason, "no store at 127.0.0.1:" + std::to_string(ntohs(place.sin_port)) +
                        " within 0.2 s: Connection timed out; process 0 opens it");
}

} // namespace
} // namespace pcc::test
