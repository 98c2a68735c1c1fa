// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The NCCL communicators of one rank. All are non-blocking: a call that takes time returns
// ncclInProgress and is polled until it is done, so a missing peer hangs no thread.
//
// The rank's thread calls NCCL under a lock that it never holds while it waits. So any other thread
// can abort the run: that takes every communicator away to be aborted (JointAbort). Then their
// kernels end, and with them everything that waits for the GPU.

#pragma once

#include "runtime/collective/nccl/Nccl.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

namespace pcc::runtime::nccl {

/// Memory to which NCCL writes the handle of a new communicator, possibly with a delay. It must
/// live until then.
using CommSlot = std::shared_ptr<CommHandle>;

/// NCCL communicators that are aborted together.
///
/// ncclCommAbort tells the kernels of its communicator to end, and then frees memory. For that the
/// driver waits for the whole GPU, including kernels of other communicators whose peers may be
/// gone. Therefore all communicators of a process are aborted in one group: each is told to end
/// before any memory is freed. This still takes time, and runs on a thread for which nothing has to
/// wait.
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
  void abortKnownAndLate();
  void abortAll(const std::set<CommHandle> &comms) const;

  const Nccl library;
  std::set<CommHandle> comms;
  std::vector<CommSlot> commSlots;
  std::mutex mutex;
  std::condition_variable ended;
  bool hasEnded = false;
};

struct CommOptions {
  /// Maximum thread blocks of a collective on a GPU, so that the rank's kernels keep their share;
  /// an H100 has 132 multiprocessors. NCCL_MAX_CTAS in the environment takes precedence.
  int maxBlocks = 16;
  /// The same for messages of one direction. Many receives may wait at once, one for each such
  /// communicator, and they take blocks from the kernels. Two blocks are enough to connect.
  int maxMessageBlocks = 2;
  /// Seconds within which all members of a new communicator must arrive.
  double timeout = 60;
};

/// The purpose of a communicator.
enum class Purpose { Collectives, Messages };

class RankComms {
public:
  RankComms(const Nccl &library, CommOptions options) : nccl(library), options(options) {}
  ~RankComms();

  const Nccl &library() const { return nccl; }

  /// Create a communicator of all ranks with the same id, or of the members of `comm` with the same
  /// color, ordered by key. They wait until it exists, as long as the options allow.
  Expected<CommHandle> init(int ranks, int rank, const UniqueId &id, Purpose purpose);
  Expected<CommHandle> split(CommHandle comm, int color, int key);
  /// Destroys a communicator that has nothing in flight.
  void release(CommHandle comm);

  /// Calls `body` between the start and the end of a group. Afterwards the communicators may
  /// progress on their own: settle() or isSettled() tells when the calls are enqueued.
  Status group(const std::function<Status()> &body);

  /// Returns whether the communicator has no call in progress.
  Expected<bool> isSettled(CommHandle comm);
  /// Waits until it has none: at most `seconds` if given, else until the run is aborted.
  Status settle(CommHandle comm, std::optional<double> seconds = {});
  /// Does the same at the members' first rendezvous, with the timeout of the options.
  Status meet(CommHandle comm) { return settle(comm, options.timeout); }

  /// Returns the first error of a communicator so far. Returns success if another thread is calling
  /// NCCL now, since that call finds the error. Any thread may call it.
  Status checkPeers();

  /// Aborts the run, and passes every communicator to `abort`; the first reason stays.
  void abortRun(const std::string &reason, const std::shared_ptr<JointAbort> &abort);
  /// Returns Aborted with the reason, if the run was aborted.
  Status status() const;

private:
  Status statusLocked() const;
  Expected<Code> stateLocked(CommHandle comm) const;
  Expected<CommHandle> finishNew(CommHandle comm, Status made);
  Config config(Purpose purpose) const;
  std::vector<CommSlot> takeCommSlots(CommHandle comm);

  const Nccl &nccl;
  const CommOptions options;
  mutable std::mutex mutex;
  std::set<CommHandle> live;
  /// By the communicator that is created or split: NCCL may write the handle until it is settled.
  std::multimap<CommHandle, CommSlot> commSlots;
  /// Aborts of some communicators; the destructor waits for them before the GPU is released.
  std::vector<std::shared_ptr<JointAbort>> aborts;
  bool isAborted = false;
  std::string reason;
};

} // namespace pcc::runtime::nccl
