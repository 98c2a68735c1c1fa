// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A TCP connection, or a listening socket. A connection breaks half a minute after the other
// machine died silently.

#pragma once

#include "runtime/base/Base.h"

#include <functional>
#include <span>
#include <string>
#include <utility>

namespace pcc::runtime::store {

/// Address of a store: a host name and a port; port 0: any free port.
struct Address {
  std::string host = "127.0.0.1";
  int port = 0;

  std::string text() const {
    bool isIpv6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", isIpv6 ? "[" : "", host, isIpv6 ? "]" : "", port);
  }
  /// Returns whether the host explicitly means this machine alone: a loopback address, or
  /// localhost.
  bool isLoopback() const;
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

  /// Returns a socket that listens at the address. If the host is localhost or a loopback address,
  /// it accepts only connections from this machine. Errors: BadUsage for a port in use.
  static Expected<Socket> listenAt(const Address &address);
  /// Returns a connection. Waits at most `seconds`, since the listener may start later.
  static Expected<Socket> connectTo(const Address &address, double seconds);
  /// Accepts the next connection of a listening socket, as a non-blocking one. Does not wait:
  /// returns an empty socket without one; errno gives the reason.
  Socket accept() const;

  explicit operator bool() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  /// Returns the local port.
  int port() const;

  /// Send or receive all bytes, and wait for that. Return whether they succeeded. While the other
  /// side takes no bytes, `givesUp` is asked some times a second whether sending should fail.
  bool send(std::span<const std::byte> bytes, const std::function<bool()> &givesUp = nullptr) const;
  bool receive(std::span<std::byte> bytes) const;

  /// Ends the connection for all threads that wait on it.
  void shut() const;

private:
  int descriptor = -1;
};

} // namespace pcc::runtime::store
