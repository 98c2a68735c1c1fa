// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/nccl/JointAbort.h"

#include <chrono>
#include <thread>

namespace pcc::runtime::nccl {

void JointAbort::add(const std::set<CommHandle> &more, const std::vector<CommSlot> &waiting) {
  comms.insert(more.begin(), more.end());
  commSlots.insert(commSlots.end(), waiting.begin(), waiting.end());
}

void JointAbort::begin() {
  std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void JointAbort::run() {
  abortAll(comms);
  // NCCL creates no more communicators. No rank has ever seen those created since.
  std::set<CommHandle> late;
  for (const CommSlot &commSlot : commSlots)
    if (*commSlot && !comms.contains(*commSlot))
      late.insert(*commSlot);
  abortAll(late);
  std::lock_guard lock(mutex);
  hasEnded = true;
  ended.notify_all();
}

void JointAbort::abortAll(const std::set<CommHandle> &all) const {
  if (all.empty() || library.groupStart() != Code::Success)
    return;
  for (CommHandle comm : all)
    (void)library.commAbort(comm);
  (void)library.groupEnd();
}

void JointAbort::wait(double seconds) {
  std::unique_lock lock(mutex);
  ended.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return hasEnded; });
}

} // namespace pcc::runtime::nccl
