// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communicators of NCCL that one rank has. All are non-blocking: a call that takes its time
// says so, and is asked again until it is through, so that a peer that never comes hangs nobody.
//
// The rank's thread calls NCCL under a lock that it never holds while it waits. So any other thread
// can give the run up: that takes every communicator away to be aborted (JointAbort.h), after which
// their kernels end, and with them whatever waits for the GPU.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_RANKCOMMS_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_RANKCOMMS_H

#include "runtime/collective/nccl/JointAbort.h"

#include <functional>
#include <map>
#include <optional>

namespace pcc::runtime::nccl {

struct CommOptions {
  /// Blocks of threads that a collective may take of a GPU, so that the rank's kernels keep their
  /// share; an H100 has 132 places for such. NCCL_MAX_CTAS in the environment counts before it.
  int mostBlocks = 16;
  /// The same for messages of one direction. Many receives may stand and wait at once, one for each
  /// such communicator, and what they hold kernels do not get; two blocks are enough to connect by.
  int mostMessageBlocks = 2;
  /// Seconds until all members of a new communicator must have come.
  double patience = 60;
};

/// What a communicator is for.
enum class Purpose { Collectives, Messages };

class RankComms {
public:
  RankComms(const Nccl &library, CommOptions options) : nccl(library), options(options) {}
  ~RankComms();

  const Nccl &library() const { return nccl; }

  /// A communicator of all who give the same id, and one of those of `comm` that give the same
  /// color, by key. They wait until it is there, as long as the options say.
  Expected<CommHandle> init(int ranks, int rank, const UniqueId &id, Purpose purpose);
  Expected<CommHandle> split(CommHandle comm, int color, int key);
  /// Gives one back, of which nothing is under way.
  void release(CommHandle comm);

  /// Calls `body` between the begin and the end of a group. Afterwards the communicators may go on
  /// by themselves for a while: settle() or isSettled() says when what was called is enqueued.
  Status group(const std::function<Status()> &body);

  /// Whether nothing goes on any more.
  Expected<bool> isSettled(CommHandle comm);
  /// Waits for that, `seconds` if they are given, else until the run is given up.
  Status settle(CommHandle comm, std::optional<double> seconds = {});
  /// The same where members first meet, as long as the options say.
  Status meet(CommHandle comm) { return settle(comm, options.patience); }

  /// The first error that one of them has had so far; of those that another thread is calling just
  /// now, which then finds it, nothing. Called by any thread.
  Status checkPeers();

  /// Gives the run up, and every communicator to who aborts them; the first reason stays.
  void giveUp(const std::string &reason, const std::shared_ptr<JointAbort> &abort);
  /// Why it was given up.
  Status status() const;

private:
  Status statusLocked() const;
  Expected<Code> stateLocked(CommHandle comm) const;
  Expected<CommHandle> finishNew(CommHandle comm, Status made);
  Config config(Purpose purpose) const;
  std::vector<Slot> takeSlots(CommHandle comm);

  const Nccl &nccl;
  const CommOptions options;
  mutable std::mutex mutex;
  std::set<CommHandle> live;
  /// By the communicator that is made, or split: it may write there until it is settled.
  std::multimap<CommHandle, Slot> slots;
  /// Of some of the communicators; waited for at the end, when the GPU goes.
  std::vector<std::shared_ptr<JointAbort>> aborts;
  bool isAborted = false;
  std::string reason;
};

} // namespace pcc::runtime::nccl

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_RANKCOMMS_H
