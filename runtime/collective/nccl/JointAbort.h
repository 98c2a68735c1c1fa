// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL communicators that are aborted together.
//
// ncclCommAbort tells the kernels of its communicator to end, and then frees memory. For that the
// driver waits for the whole GPU, including kernels of other communicators whose peers may be gone.
// Therefore all communicators of a process are aborted in one group: each is told to end before any
// memory is freed. This still takes time, and runs on a thread for which nothing has to wait.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_JOINTABORT_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_JOINTABORT_H

#include "runtime/collective/nccl/Nccl.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>

namespace pcc::runtime::nccl {

/// The place to which NCCL writes a new communicator, possibly with a delay. It must live until
/// then.
using CommSlot = std::shared_ptr<CommHandle>;

class JointAbort : public std::enable_shared_from_this<JointAbort> {
public:
  explicit JointAbort(const Nccl &library) : library(library) {}

  /// Takes over communicators, which must not be used any more, and the handles that their
  /// operations may still write. Called before begin().
  void add(const std::set<CommHandle> &comms, const std::vector<CommSlot> &commSlots);

  /// Begins, and does not wait.
  void begin();
  /// Waits until all communicators are gone, at most `seconds`.
  void wait(double seconds);

private:
  void run();
  void abortAll(const std::set<CommHandle> &comms) const;

  const Nccl library;
  std::set<CommHandle> comms;
  std::vector<CommSlot> commSlots;
  std::mutex mutex;
  std::condition_variable ended;
  bool hasEnded = false;
};

} // namespace pcc::runtime::nccl

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_JOINTABORT_H
