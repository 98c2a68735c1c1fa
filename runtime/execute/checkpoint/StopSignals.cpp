// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler only stores numbers in atomics without locks: a handler may do little else. System
// calls that it interrupts are restarted (SA_RESTART). A stop signal that the process ignores from
// its start, such as SIGINT of a background job, stays ignored.

#include "runtime/execute/checkpoint/StopSignals.h"

#include <atomic>

namespace pcc::runtime {
namespace {

std::atomic<int> stopSignalSeen = 0;
std::atomic<int64_t> saveRequestsSeen = 0;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free,
              "a signal handler may not lock");

void handleSignal(int signal) {
  if (signal == SIGUSR1) {
    saveRequestsSeen.fetch_add(1);
  } else if (stopSignalSeen.exchange(signal) != 0) {
    // The second stop signal ends the process, as soon as the handler returns: until then the
    // signal is blocked.
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
  for (int i = 0; i < 3; ++i) {
    sigaction(caught[i], nullptr, &previous[i]);
    bool isStopSignal = caught[i] != SIGUSR1;
    if (!isStopSignal || previous[i].sa_handler != SIG_IGN)
      sigaction(caught[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (int i = 0; i < 3; ++i)
    sigaction(caught[i], &previous[i], nullptr);
}

int StopSignals::stopSignal() { return stopSignalSeen; }
int64_t StopSignals::saveRequests() { return saveRequestsSeen; }

} // namespace pcc::runtime
