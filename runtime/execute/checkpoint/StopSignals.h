// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals by which a scheduler or a user asks a training run for a checkpoint.

#pragma once

#include <csignal>
#include <cstdint>

namespace pcc::runtime {

/// Catches SIGTERM, SIGINT and SIGUSR1 during its lifetime. The first two ask the run to write a
/// checkpoint and to end; the second of them ends the process at once, as it would uncaught.
/// SIGUSR1 asks for a checkpoint only. SIGTERM or SIGINT stays ignored if the process ignores it
/// already, as a background job ignores SIGINT. A process has one object at a time.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;

  /// Returns SIGTERM or SIGINT if one of them came, else 0. Any thread may call it.
  static int stopSignal();
  /// Returns how often SIGUSR1 came. Any thread may call it.
  static int64_t saveRequests();

private:
  static constexpr int caught[] = {SIGTERM, SIGINT, SIGUSR1};
  struct sigaction previous[3];
};

} // namespace pcc::runtime
