// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler only stores numbers. Interrupted system calls are made again (SA_RESTART).

#include "runtime/execute/checkpoint/StopSignals.h"

#include <atomic>

namespace pcc::runtime {
namespace {

std::atomic<int> stopSignalSeen = 0;
std::atomic<int64_t> saveRequestsSeen = 0;
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler may not lock");

void handleSignal(int signal) {
  if (signal == SIGUSR1) {
    saveRequestsSeen.fetch_add(1);
  } else if (stopSignalSeen.exchange(signal) != 0) {
    // Takes effect when the handler returns.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

} // namespace

StopSignals::StopSignals() {
  stopSignalSeen = 0;
  saveRequestsSeen = 0;
  struct sigaction action = {};
  action.sa_handler = handleSignal;
  action.sa_flags = SA_RESTART;
  for (int i = 0; i < 3; ++i)
    sigaction(caught[i], &action, &previous[i]);
}

StopSignals::~StopSignals() {
  for (int i = 0; i < 3; ++i)
    sigaction(caught[i], &previous[i], nullptr);
}

int StopSignals::stopSignal() { return stopSignalSeen; }
int64_t StopSignals::saveRequests() { return saveRequestsSeen; }

} // namespace pcc::runtime
