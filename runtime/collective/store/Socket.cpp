// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// POSIX sockets over IPv4 and IPv6. Connecting tries each address of the host with a share of the
// time, repeatedly until the time is over. Keep-alive probes and TCP_USER_TIMEOUT end a silent
// connection. A candidate is one result of getaddrinfo, an address of the host.

#include "runtime/collective/store/Socket.h"

#include "runtime/abi/files/RetryAfterSignal.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace pcc::runtime::store {
namespace {

struct FreeAddresses {
  void operator()(addrinfo *list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// Returns the addresses of a host name; null with the reason in `why`.
Addresses lookUp(const Address &address, std::string &why) {
  addrinfo hints = {}, *list = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  int code = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
  if (code != 0)
    why = code == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(code);
  return Addresses(list);
}

bool isLoopbackAddress(const addrinfo &candidate) {
  if (candidate.ai_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(
        &reinterpret_cast<const sockaddr_in6 *>(candidate.ai_addr)->sin6_addr);
  uint32_t number = reinterpret_cast<const sockaddr_in *>(candidate.ai_addr)->sin_addr.s_addr;
  return (ntohl(number) >> 24) == IN_LOOPBACKNET;
}

/// Changes the address to all addresses of this machine.
void useAnyAddress(addrinfo &candidate) {
  if (candidate.ai_family == AF_INET6)
    reinterpret_cast<sockaddr_in6 *>(candidate.ai_addr)->sin6_addr = in6addr_any;
  else
    reinterpret_cast<sockaddr_in *>(candidate.ai_addr)->sin_addr.s_addr = htonl(INADDR_ANY);
}

bool setOption(const Socket &socket, int level, int option, int value) {
  return setsockopt(socket.get(), level, option, &value, sizeof value) == 0;
}

/// Sends small messages at once, since each is waited for. Probes a silent peer, and gives it up if
/// it has not answered or acknowledged data for `silence` seconds.
void configure(const Socket &socket) {
  constexpr int silence = 30, firstProbeSeconds = 10, probeIntervalSeconds = 5;
  setOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  setOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  setOption(socket, IPPROTO_TCP, TCP_KEEPIDLE, firstProbeSeconds);
  setOption(socket, IPPROTO_TCP, TCP_KEEPINTVL, probeIntervalSeconds);
  setOption(socket, IPPROTO_TCP, TCP_KEEPCNT, (silence - firstProbeSeconds) / probeIntervalSeconds);
  setOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, silence * 1000);
}

Socket makeSocket(const addrinfo &candidate, int flags) {
  return Socket(::socket(candidate.ai_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

/// Returns a socket that listens at the address; an empty one on an error, with errno.
Socket listenAtCandidate(const addrinfo &candidate) {
  Socket socket = makeSocket(candidate, SOCK_NONBLOCK);
  if (!socket)
    return socket;
  bool listens =
      setOption(socket, SOL_SOCKET, SO_REUSEADDR, 1) &&
      (candidate.ai_family != AF_INET6 || setOption(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0)) &&
      bind(socket.get(), candidate.ai_addr, candidate.ai_addrlen) == 0 &&
      listen(socket.get(), SOMAXCONN) == 0;
  return listens ? std::move(socket) : Socket();
}

/// Returns whether both ends are the same: a machine may connect a port to itself if nothing
/// listens there.
bool isConnectedToItself(const Socket &socket) {
  sockaddr_storage own = {}, other = {};
  socklen_t ownSize = sizeof own, otherSize = sizeof other;
  getsockname(socket.get(), reinterpret_cast<sockaddr *>(&own), &ownSize);
  getpeername(socket.get(), reinterpret_cast<sockaddr *>(&other), &otherSize);
  return ownSize == otherSize && std::memcmp(&own, &other, ownSize) == 0;
}

/// Waits for a pending connection. Returns 0, or an error code if it is not established in time.
int awaitConnection(const Socket &socket, int64_t nanoseconds) {
  pollfd pending = {socket.get(), POLLOUT, 0};
  int64_t end = nowNanoseconds() + nanoseconds;
  int ready = abi::retryAfterSignal([&] {
    int64_t left = std::max<int64_t>(0, end - nowNanoseconds()) / 1'000'000;
    return poll(&pending, 1, int(std::min<int64_t>(left, INT32_MAX)));
  });
  if (ready <= 0)
    return ready == 0 ? ETIMEDOUT : errno;
  int reason = 0;
  socklen_t size = sizeof reason;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &reason, &size);
  return reason == 0 && isConnectedToItself(socket) ? ECONNREFUSED : reason;
}

/// Returns a connection to the address within the time; an empty socket on an error, with errno.
Socket connectToCandidate(const addrinfo &candidate, int64_t nanoseconds) {
  Socket socket = makeSocket(candidate, SOCK_NONBLOCK);
  if (!socket)
    return socket;
  int reason = connect(socket.get(), candidate.ai_addr, candidate.ai_addrlen) == 0 ? 0 : errno;
  if (reason == 0 || reason == EINPROGRESS)
    reason = awaitConnection(socket, nanoseconds);
  if (reason != 0) {
    errno = reason;
    return Socket();
  }
  fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
  configure(socket);
  return socket;
}

} // namespace

// The name of a machine is no loopback, even if its own hosts file maps it to one (127.0.1.1 on
// Debian): other machines resolve the name differently.
bool Address::isLoopback() const {
  if (host == "localhost" || host == "ip6-localhost")
    return true;
  addrinfo hints = {}, *list = nullptr;
  hints.ai_flags = AI_NUMERICHOST;
  bool isNumber = getaddrinfo(host.c_str(), nullptr, &hints, &list) == 0;
  Addresses addresses(list);
  return isNumber && isLoopbackAddress(*addresses);
}

Socket::~Socket() {
  int reason = errno; // keeps the reason of an earlier failure
  if (descriptor >= 0)
    close(descriptor);
  errno = reason;
}

Expected<Socket> Socket::listenAt(const Address &address) {
  std::string why;
  Addresses addresses = lookUp(address, why);
  if (!addresses)
    return Status::badUsage(fmt::format("the store's host '{}': {}", address.host, why));
  int reason = 0;
  for (addrinfo *candidate = addresses.get(); candidate; candidate = candidate->ai_next) {
    // The name may resolve to an address that this machine does not have (NAT, a Kubernetes
    // service), so listen on all addresses.
    if (!address.isLoopback())
      useAnyAddress(*candidate);
    if (Socket socket = listenAtCandidate(*candidate))
      return socket;
    reason = errno;
    // Try the next address only if the machine does not have this one.
    if (reason != EAFNOSUPPORT && reason != EADDRNOTAVAIL)
      break;
  }
  return Status::badUsage(
      fmt::format("the store cannot listen at {}: {}", address.text(), std::strerror(reason)));
}

Expected<Socket> Socket::connectTo(const Address &address, double seconds) {
  int64_t end = nowNanoseconds() + int64_t(seconds * 1e9);
  std::string why;
  do {
    Addresses addresses = lookUp(address, why);
    int64_t left = 0;
    for (addrinfo *candidate = addresses.get(); candidate; candidate = candidate->ai_next)
      ++left;
    // Each address gets a share of the time, since the first may be unreachable from here.
    for (addrinfo *candidate = addresses.get(); candidate; candidate = candidate->ai_next, --left) {
      int64_t share = std::max<int64_t>(0, end - nowNanoseconds()) / left;
      if (Socket socket = connectToCandidate(*candidate, share))
        return socket;
      why = std::strerror(errno);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (nowNanoseconds() < end);
  return Status(StatusKind::TimedOut,
                fmt::format("no store at {} within {} s: {}; process 0 opens it", address.text(),
                            seconds, why));
}

Socket Socket::accept() const {
  Socket socket(accept4(descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket)
    configure(socket);
  return socket;
}

int Socket::port() const {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6 &>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in &>(address).sin_port);
}

bool Socket::send(std::span<const std::byte> bytes, const std::function<bool()> &givesUp) const {
  constexpr int milliseconds = 200;
  while (!bytes.empty()) {
    ssize_t sent = abi::retryAfterSignal([&] {
      return ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent < 0 && errno == EAGAIN) {
      pollfd place = {descriptor, POLLOUT, 0};
      if (poll(&place, 1, milliseconds) == 0 && givesUp && givesUp())
        return false;
      continue;
    }
    if (sent <= 0)
      return false;
    bytes = bytes.subspan(size_t(sent));
  }
  return true;
}

bool Socket::receive(std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    ssize_t received =
        abi::retryAfterSignal([&] { return recv(descriptor, bytes.data(), bytes.size(), 0); });
    if (received <= 0)
      return false;
    bytes = bytes.subspan(size_t(received));
  }
  return true;
}

void Socket::shut() const { shutdown(descriptor, SHUT_RDWR); }

} // namespace pcc::runtime::store
