// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A connection over TCP, or the place at which others ask for one. A connection breaks half a
// minute after the machine of the other side died without a word.

#ifndef PCC_RUNTIME_COLLECTIVE_STORE_SOCKET_H
#define PCC_RUNTIME_COLLECTIVE_STORE_SOCKET_H

#include "runtime/base/Base.h"

#include <span>
#include <string>
#include <utility>

namespace pcc::runtime::store {

/// Where a store is: the name of a host, and a port; port 0: any that is free.
struct Address {
  std::string host = "127.0.0.1";
  int port = 0;

  std::string text() const {
    bool isNumberOf6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", isNumberOf6 ? "[" : "", host, isNumberOf6 ? "]" : "", port);
  }
};

class Socket {
public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor(descriptor) {}
  Socket(Socket &&other) noexcept { std::swap(descriptor, other.descriptor); }
  Socket &operator=(Socket &&other) noexcept {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~Socket();

  /// Who can be asked for connections at the address; where the host is localhost, or a number of
  /// the loopback, only from this machine. Errors: BadUsage for a port that somebody has.
  static Expected<Socket> listenAt(const Address &address);
  /// A connection, for which it waits so many seconds: who listens may come later.
  static Expected<Socket> connectTo(const Address &address, double seconds);
  /// Of one that listens: the next who asks, as a connection whose calls never wait; none: errno
  /// says why.
  Socket accept() const;

  explicit operator bool() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  /// The port of this side.
  int port() const;

  /// Whether all bytes were sent, or received; they wait for it.
  bool send(std::span<const std::byte> bytes) const;
  bool receive(std::span<std::byte> bytes) const;

  /// Ends the connection for whoever waits on it.
  void shut() const;

private:
  int descriptor = -1;
};

} // namespace pcc::runtime::store

#endif // PCC_RUNTIME_COLLECTIVE_STORE_SOCKET_H
