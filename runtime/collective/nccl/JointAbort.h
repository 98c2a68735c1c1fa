// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators of NCCL that are aborted together.
//
// ncclCommAbort tells the kernels of its communicator to end, and then frees memory, for which the
// driver waits for the whole GPU: also for kernels of other communicators, whose peers may be gone.
// So all that a process has are aborted in one group, in which each is told before anything is
// freed. That still takes its time, and is done on a thread that nobody has to wait for.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_JOINTABORT_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_JOINTABORT_H

#include "runtime/collective/nccl/Nccl.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>

namespace pcc::runtime::nccl {

/// Where NCCL puts a new communicator, for which it may take its time. It must not go before that.
using Slot = std::shared_ptr<CommHandle>;

class JointAbort : public std::enable_shared_from_this<JointAbort> {
public:
  explicit JointAbort(const Nccl &library) : library(library) {}

  /// Takes communicators over, which nobody may use any more, with the slots that wait for one by
  /// their doing. Before begin().
  void add(const std::set<CommHandle> &comms, const std::vector<Slot> &slots);

  /// Begins, and does not wait.
  void begin();
  /// Waits until all are gone, at most so many seconds.
  void wait(double seconds);

private:
  void run();
  void abortAll(const std::set<CommHandle> &comms) const;

  const Nccl library;
  std::set<CommHandle> comms;
  std::vector<Slot> slots;
  std::mutex mutex;
  std::condition_variable ended;
  bool hasEnded = false;
};

} // namespace pcc::runtime::nccl

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_JOINTABORT_H
