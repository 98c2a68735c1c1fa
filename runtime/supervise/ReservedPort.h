// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A free port for the store of processes that are about to start.

#pragma once

#include "runtime/base/Base.h"

namespace pcc::runtime {

/// A port of the loopback that nobody else gets during the object's lifetime. The process for which
/// it is meant can listen at it, since this socket never listens (SO_REUSEADDR).
class ReservedPort {
public:
  /// Returns a port that is free now. The error (Failed) has the system's reason.
  static Expected<ReservedPort> reserve();
  ~ReservedPort();
  ReservedPort(ReservedPort &&other) noexcept;
  ReservedPort &operator=(ReservedPort &&) = delete;

  int port() const { return number; }

private:
  ReservedPort(int socket, int number) : socket(socket), number(number) {}

  int socket; ///< -1: moved from
  int number;
};

} // namespace pcc::runtime
