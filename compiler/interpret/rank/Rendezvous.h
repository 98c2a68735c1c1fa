// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rendezvous of ranks: the one primitive by which ranks communicate. Ranks are threads. For every
// collective and transfer, a rank contributes tensors to a group under the name of a channel. The
// rank waits until all members of the group have contributed, and reads all contributions. The n-th
// contribution of each rank to a (group, channel) belongs to the n-th rendezvous of that (group,
// channel).
//
//   rank 0                               rank 1
//   point = post({0,1}, 0, "sum", a)     point = post({0,1}, 1, "sum", b)
//   wait(0, *point)                      wait(1, *point)
//   point->contributions = {{a}, {b}}    point->contributions = {{a}, {b}}
//
// No program hangs: if every rank that has not left waits, no rank can continue. All waits then
// fail, and `getStuck` says which rank waited for which ranks.
#pragma once

#include "compiler/values/Tensor.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/FunctionExtras.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace pcc::interpret {

using values::Tensor;

/// Tensors that one rank contributes to a rendezvous.
using Contribution = llvm::SmallVector<Tensor, 1>;

/// One rendezvous of a group.
class Rendezvous {
public:
  Rendezvous(llvm::ArrayRef<int64_t> group, llvm::StringRef channel)
      : contributions(group.size()), group(group), channel(channel) {}

  /// Contributions of the members, by position in the group; read them only after the wait.
  llvm::SmallVector<Contribution> contributions;

  /// Returns the value of `compute`, which runs once per rendezvous, not once per member.
  const Tensor &once(llvm::function_ref<Tensor()> compute);

private:
  friend class RendezvousTable;
  llvm::SmallVector<int64_t> group;
  std::string channel;
  size_t arrived = 0;                 ///< members that have contributed
  llvm::SmallVector<int64_t> waiting; ///< ranks inside `wait`
  std::condition_variable complete;
  std::once_flag computed;
  Tensor value;
};

/// A rank that waits, and the members of its group that have not contributed.
struct StuckRank {
  int64_t rank;
  std::string channel;
  llvm::SmallVector<int64_t> missing;
};

/// All open rendezvous, by group and channel.
class RendezvousTable {
public:
  /// Constructs the table of ranks 0 … ranks-1. Each rank must call `leave` at its end.
  explicit RendezvousTable(int64_t ranks) : live(ranks) {}

  /// Contributes `contribution` as the member at `position` of `group`, without waiting.
  std::shared_ptr<Rendezvous> post(llvm::ArrayRef<int64_t> group, int64_t position,
                                   llvm::StringRef channel, Contribution contribution);

  /// Waits until all members have contributed. Fails when no rank can continue.
  mlir::LogicalResult wait(int64_t rank, Rendezvous &point);

  /// Marks the rank as finished or failed; it will contribute no more.
  void leave();

  /// Returns the ranks whose waits failed, sorted; empty if none failed. Call after all ranks have
  /// left.
  llvm::ArrayRef<StuckRank> getStuck() const { return stuck; }

  /// Returns the channel of an incomplete rendezvous, if any. Call after all ranks have left.
  std::optional<std::string> findUnfinished() const;

private:
  using Key = std::pair<std::vector<int64_t>, std::string>;

  /// Wakes all ranks with a failure if every live rank waits. The caller holds the lock.
  void failIfStuck();

  std::mutex mutex;
  std::map<Key, std::deque<std::shared_ptr<Rendezvous>>> open; ///< incomplete
  int64_t live;
  int64_t waiting = 0; ///< ranks that wait for an incomplete rendezvous
  bool broken = false;
  llvm::SmallVector<StuckRank> stuck;
};

} // namespace pcc::interpret
