// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/supervise/ReservedPort.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace pcc::runtime {

Expected<ReservedPort> ReservedPort::reserve() {
  ReservedPort reserved(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), 0);
  int on = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  socklen_t size = sizeof address;
  if (reserved.socket < 0 ||
      setsockopt(reserved.socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(reserved.socket, generic, size) != 0 ||
      getsockname(reserved.socket, generic, &size) != 0)
    return Status::failed(fmt::format("no free port of 127.0.0.1: {}", std::strerror(errno)));
  reserved.number = ntohs(address.sin_port);
  return reserved;
}

ReservedPort::~ReservedPort() {
  if (socket >= 0)
    close(socket);
}

ReservedPort::ReservedPort(ReservedPort &&other) noexcept
    : socket(std::exchange(other.socket, -1)), number(other.number) {}

} // namespace pcc::runtime
