// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls on communicators in use hold the lock and do not wait. A wait polls ncclCommGetAsyncError
// with pauses from 1 µs to 1 ms, and releases the lock in between. A communicator that does not
// finalize within 5 s is aborted instead of destroyed.

#include "runtime/collective/nccl/RankComms.h"

#include "runtime/base/CatchExceptions.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace pcc::runtime::nccl {

void JointAbort::add(const std::set<CommHandle> &more, const std::vector<CommSlot> &waiting) {
  comms.insert(more.begin(), more.end());
  commSlots.insert(commSlots.end(), waiting.begin(), waiting.end());
}

void JointAbort::begin() {
  std::thread thread;
  if (startThread(thread, [self = shared_from_this()] { self->run(); }).ok())
    thread.detach();
  else
    run(); // the system provides no thread, so the caller waits
}

/// If memory runs out here, some communicators stay allocated until the process ends. The error is
/// ignored: the run has already failed, and nobody waits for this thread.
void JointAbort::run() {
  (void)catchExceptions([&] {
    abortKnownAndLate();
    return Status();
  });
  std::lock_guard lock(mutex);
  hasEnded = true;
  ended.notify_all();
}

void JointAbort::abortKnownAndLate() {
  abortAll(comms);
  // From here on NCCL creates no more communicators. No rank knows those created since add(), so
  // they are aborted here.
  std::set<CommHandle> late;
  for (const CommSlot &commSlot : commSlots)
    if (*commSlot && !comms.contains(*commSlot))
      late.insert(*commSlot);
  abortAll(late);
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

using Lock = std::lock_guard<std::mutex>;

/// Seconds that a communicator may take to end; after that its peer is considered lost.
constexpr double endTimeout = 5;

Config RankComms::config(Purpose purpose) const {
  Config config;
  config.blocking = 0;
  config.maxCTAs = purpose == Purpose::Messages ? options.maxMessageBlocks : options.maxBlocks;
  return config;
}

RankComms::~RankComms() {
  while (!live.empty())
    release(*live.begin());
  for (const std::shared_ptr<JointAbort> &abort : aborts)
    abort->wait(endTimeout);
}

Status RankComms::statusLocked() const {
  return isAborted ? Status(StatusKind::Aborted, reason) : Status();
}

Status RankComms::status() const {
  Lock lock(mutex);
  return statusLocked();
}

Expected<CommHandle> RankComms::init(int ranks, int rank, const UniqueId &id, Purpose purpose) {
  auto commSlot = std::make_shared<CommHandle>(nullptr);
  CommHandle comm = nullptr;
  Config own = config(purpose);
  Status made;
  {
    Lock lock(mutex);
    made = statusLocked();
    if (made.ok())
      made = nccl.check(nccl.commInitRankConfig(commSlot.get(), ranks, id, rank, &own),
                        "ncclCommInitRankConfig");
    comm = *commSlot;
    if (comm) {
      live.insert(comm);
      commSlots.emplace(comm, commSlot);
    }
  }
  return finishNew(comm, made);
}

Expected<CommHandle> RankComms::split(CommHandle comm, int color, int key) {
  auto commSlot = std::make_shared<CommHandle>(nullptr);
  CommHandle part = nullptr;
  Config own = config(Purpose::Collectives);
  Status made;
  {
    Lock lock(mutex);
    made = statusLocked();
    if (made.ok()) {
      commSlots.emplace(comm, commSlot);
      made =
          nccl.check(nccl.commSplit(comm, color, key, commSlot.get(), &own), "ncclCommSplit", comm);
    }
  }
  // The new communicator exists as soon as the old one has settled, and may then progress on its
  // own.
  if (made.ok())
    made = meet(comm);
  if (made.ok()) {
    Lock lock(mutex);
    made = statusLocked();
    if (made.ok()) {
      part = *commSlot;
      live.insert(part);
      commSlots.erase(comm);
    }
  }
  return finishNew(part, made);
}

Expected<CommHandle> RankComms::finishNew(CommHandle comm, Status made) {
  if (made.ok())
    made = meet(comm);
  if (!made.ok())
    return made;
  Lock lock(mutex);
  commSlots.erase(comm);
  return comm;
}

/// Removes and returns the handles that the communicator's operations may write. Call under the
/// lock.
std::vector<CommSlot> RankComms::takeCommSlots(CommHandle comm) {
  std::vector<CommSlot> own;
  auto [first, last] = commSlots.equal_range(comm);
  for (auto commSlot = first; commSlot != last; ++commSlot)
    own.push_back(commSlot->second);
  commSlots.erase(first, last);
  return own;
}

void RankComms::release(CommHandle comm) {
  bool ended = false;
  {
    Lock lock(mutex);
    if (!live.contains(comm))
      return; // an abort took it
    ended = nccl.check(nccl.commFinalize(comm), "ncclCommFinalize", comm).ok();
  }
  ended = ended && settle(comm, endTimeout).ok();
  {
    Lock lock(mutex);
    if (live.erase(comm) == 0)
      return;
    std::vector<CommSlot> own = takeCommSlots(comm);
    if (!ended || !own.empty()) {
      aborts.push_back(std::make_shared<JointAbort>(nccl));
      aborts.back()->add(ended ? std::set<CommHandle>() : std::set{comm}, own);
      aborts.back()->begin();
    }
  }
  // No other thread uses it now. Destroying frees memory, for which the driver may wait.
  if (ended)
    (void)nccl.commDestroy(comm);
}

Status RankComms::group(const std::function<Status()> &body) {
  Lock lock(mutex);
  if (isAborted)
    return statusLocked();
  if (Status status = nccl.check(nccl.groupStart(), "ncclGroupStart"); !status.ok())
    return status;
  Status status = body();
  Status ended = nccl.check(nccl.groupEnd(), "ncclGroupEnd");
  return status.ok() ? ended : status;
}

/// Returns Success or InProgress.
Expected<Code> RankComms::stateLocked(CommHandle comm) const {
  Code code = Code::Success;
  if (Status status =
          nccl.check(nccl.commGetAsyncError(comm, &code), "ncclCommGetAsyncError", comm);
      !status.ok())
    return status;
  if (Status status = nccl.check(code, "an earlier call of NCCL", comm); !status.ok())
    return status;
  return code;
}

Expected<bool> RankComms::isSettled(CommHandle comm) {
  Lock lock(mutex);
  if (isAborted)
    return statusLocked();
  Expected<Code> state = stateLocked(comm);
  if (!state)
    return state.status();
  return *state != Code::InProgress;
}

Status RankComms::checkPeers() {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return {};
  for (CommHandle comm : live)
    if (Expected<Code> state = stateLocked(comm); !state)
      return state.status();
  return {};
}

Status RankComms::settle(CommHandle comm, std::optional<double> seconds) {
  using namespace std::chrono;
  int64_t begin = nowNanoseconds();
  for (auto pause = microseconds(1);; pause = std::min(2 * pause, microseconds(1000))) {
    Expected<bool> settled = isSettled(comm);
    if (!settled)
      return settled.status();
    if (*settled)
      return {};
    if (seconds && double(nowNanoseconds() - begin) / 1e9 > *seconds)
      return {
          StatusKind::TimedOut,
          fmt::format("the members of a communicator of NCCL have not come within {} s", *seconds)};
    std::this_thread::sleep_for(pause);
  }
}

void RankComms::abortRun(const std::string &why, const std::shared_ptr<JointAbort> &abort) {
  Lock lock(mutex);
  if (isAborted)
    return;
  isAborted = true;
  reason = why;
  for (CommHandle comm : live)
    abort->add({comm}, takeCommSlots(comm));
  live.clear();
  aborts.push_back(abort);
}

} // namespace pcc::runtime::nccl
