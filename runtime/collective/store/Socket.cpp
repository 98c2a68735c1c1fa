// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/store/Socket.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace pcc::runtime::store {
namespace {

struct FreeAddresses {
  void operator()(addrinfo *list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// What the name of a host stands for; null with the reason in `why`.
Addresses lookUp(const Address &address, std::string &why) {
  addrinfo hints = {}, *list = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  int code = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
  if (code != 0)
    why = gai_strerror(code);
  return Addresses(list);
}

bool isLoopback(const sockaddr_in &place) {
  return (ntohl(place.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
}

/// Small messages go at once: each is waited for.
void sendAtOnce(int descriptor) {
  int yes = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

} // namespace

Socket::~Socket() {
  if (descriptor >= 0)
    close(descriptor);
}

Expected<Socket> Socket::listenAt(const Address &address) {
  std::string why;
  Addresses addresses = lookUp(address, why);
  if (!addresses)
    return Status::badUsage(fmt::format("the store's host '{}': {}", address.host, why));
  sockaddr_in place = *reinterpret_cast<const sockaddr_in *>(addresses->ai_addr);
  // The name may be that of a gate to this machine, which none of its own addresses is.
  if (!isLoopback(place))
    place.sin_addr.s_addr = htonl(INADDR_ANY);
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int yes = 1;
  if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(socket.get(), reinterpret_cast<const sockaddr *>(&place), sizeof place) != 0 ||
      listen(socket.get(), SOMAXCONN) != 0)
    return Status::badUsage(
        fmt::format("the store cannot listen at {}: {}", address.text(), std::strerror(errno)));
  return socket;
}

Expected<Socket> Socket::connectTo(const Address &address, double seconds) {
  int64_t end = nowNanoseconds() + int64_t(seconds * 1e9);
  std::string why;
  do {
    if (Addresses addresses = lookUp(address, why)) {
      Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (socket && connect(socket.get(), addresses->ai_addr, addresses->ai_addrlen) == 0) {
        sendAtOnce(socket.get());
        return socket;
      }
      why = std::strerror(errno);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (nowNanoseconds() < end);
  return Status(StatusKind::TimedOut,
                fmt::format("no store at {} within {} s: {}; process 0 has it", address.text(),
                            seconds, why));
}

int Socket::port() const {
  sockaddr_in place = {};
  socklen_t size = sizeof place;
  getsockname(descriptor, reinterpret_cast<sockaddr *>(&place), &size);
  return ntohs(place.sin_port);
}

bool Socket::send(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    bytes = bytes.subspan(size_t(sent));
  }
  return true;
}

bool Socket::receive(std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    ssize_t received = recv(descriptor, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR)
      continue;
    if (received <= 0)
      return false;
    bytes = bytes.subspan(size_t(received));
  }
  return true;
}

void Socket::shut() const { shutdown(descriptor, SHUT_RDWR); }

} // namespace pcc::runtime::store
