// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one primitive on which ranks meet. Ranks are threads; every collective and transfer is: give
// tensors under the name of a channel to a group, wait until all of the group have given theirs,
// read what they gave. The n-th gift of each rank to a (group, channel) belongs to its n-th
// meeting.
//
//   rank 0                              rank 1
//   meeting = post({0,1}, "sum", a)     meeting = post({0,1}, "sum", b)
//   wait(meeting)                       wait(meeting)
//   meeting->gifts = {{a}, {b}}         meeting->gifts = {{a}, {b}}
//
// Nothing hangs: when every rank that has not left waits, none can go on; all waits fail then and
// `getStuck` says who waited for whom.
#pragma once

#include "compiler/interpret/Tensor.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/FunctionExtras.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace pcc::interpret {

/// The tensors that one rank gives to a meeting.
using Gift = llvm::SmallVector<Tensor, 1>;

class Meeting {
public:
  Meeting(llvm::ArrayRef<int64_t> group, llvm::StringRef channel)
      : gifts(group.size()), group(group), channel(channel) {}

  /// What each member gave, by position in the group; to be read after the wait.
  llvm::SmallVector<Gift> gifts;

  /// The value of `compute`, which runs once for all members: reductions cost the same on few ranks
  /// and on many.
  const Tensor &once(llvm::function_ref<Tensor()> compute);

private:
  friend class Rendezvous;
  llvm::SmallVector<int64_t> group;
  std::string channel;
  size_t arrived = 0;                 ///< members that have given
  llvm::SmallVector<int64_t> waiting; ///< ranks inside `wait`
  std::condition_variable complete;
  std::once_flag computed;
  Tensor value;
};

/// A rank that waits, and the members of its group that have not come.
struct StuckRank {
  int64_t rank;
  std::string channel;
  llvm::SmallVector<int64_t> missing;
};

class Rendezvous {
public:
  /// Ranks 0 … ranks-1 take part; each must `leave` at its end.
  explicit Rendezvous(int64_t ranks) : live(ranks) {}

  /// Gives `gift` as the member at `position` of `group` and returns at once.
  std::shared_ptr<Meeting> post(llvm::ArrayRef<int64_t> group, int64_t position,
                                llvm::StringRef channel, Gift gift);

  /// Waits until all members have given. Fails when no rank can go on.
  mlir::LogicalResult wait(int64_t rank, Meeting &meeting);

  /// The rank has finished or failed and will come to no further meeting.
  void leave();

  /// After the ranks have left: those whose waits failed, by rank; empty if all went well.
  llvm::ArrayRef<StuckRank> getStuck() const { return stuck; }

  /// After the ranks have left: the channel of a meeting to which not all have come, if any.
  std::optional<std::string> findUnfinished() const;

private:
  using Key = std::pair<std::vector<int64_t>, std::string>;

  /// If every live rank waits, wakes all of them with a failure. The lock is held.
  void failIfStuck();

  std::mutex mutex;
  std::map<Key, std::deque<std::shared_ptr<Meeting>>> open; ///< not all have given yet
  int64_t live;
  int64_t waiting = 0; ///< ranks that wait for an incomplete meeting
  bool broken = false;
  llvm::SmallVector<StuckRank> stuck;
};

} // namespace pcc::interpret
