// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank of a running program: evaluates functions and communicates with the other ranks.
#pragma once

#include "compiler/interpret/rank/MoveByRounding.h"
#include "compiler/interpret/rank/World.h"
#include "compiler/values/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/FunctionExtras.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace pcc::interpret {

//===-- Rendezvous.cpp ------------------------------------------------------------------------===//

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

//===-- Rank.cpp ------------------------------------------------------------------------------===//

using namespace values;

class Rank {
public:
  Rank(int64_t index, const World &world, Precision precision, RendezvousTable &table)
      : index(index), world(world), precision(precision), table(table) {
    if (precision == Precision::MovedPlus || precision == Precision::MovedMinus)
      roundings.emplace(precision == Precision::MovedPlus ? Direction::Plus : Direction::Minus);
  }

  /// Index among all ranks.
  int64_t getIndex() const { return index; }
  int64_t getStage() const { return index / world.mesh.getNumRanks(); }
  /// Position on the mesh of the rank's stage.
  int64_t getPosition() const { return index % world.mesh.getNumRanks(); }
  const World &getWorld() const { return world; }
  const dist::Mesh &getMesh() const { return world.mesh; }
  Precision getPrecision() const { return precision; }

  /// Returns the rank at `position` of this rank's stage.
  int64_t getNeighbor(int64_t position) const { return world.getRank(getStage(), position); }

  /// Sets the name of the rank's current action: empty, or `microbatch 1, copy 0`. The name is part
  /// of the channel of messages between stages.
  void beginAction(llvm::StringRef name) { action = name.str(); }
  llvm::StringRef getAction() const { return action; }

  /// Returns the results of `function` on `arguments`, whose types must match the function.
  mlir::FailureOr<llvm::SmallVector<Tensor>> call(mlir::func::FuncOp function,
                                                  llvm::ArrayRef<Tensor> arguments);

  /// Contributes `contribution` to a rendezvous of `group` at `op` under `channel`, as the member
  /// at `position`. Waits for the other members.
  mlir::FailureOr<std::shared_ptr<Rendezvous>> exchange(mlir::Operation *op,
                                                        llvm::ArrayRef<int64_t> group,
                                                        int64_t position, llvm::StringRef channel,
                                                        Contribution contribution);

  /// Contributes without waiting.
  void send(llvm::ArrayRef<int64_t> group, int64_t position, llvm::StringRef channel,
            Contribution contribution) {
    table.post(group, position, channel, std::move(contribution));
  }

  /// Stores why this rank cannot continue; keeps the first reason.
  mlir::LogicalResult fail(mlir::Location location, const llvm::Twine &message);

  bool hasFailed() const { return failedAt.has_value(); }
  mlir::Location getFailureLocation() const { return *failedAt; }
  llvm::StringRef getFailure() const { return reason; }

  /// Returns the op at which the rank waited last; null if it never waited.
  mlir::Operation *getWaitingOp() const { return waitingOp; }

private:
  /// Values of the current function that are still needed.
  class Frame;
  mlir::LogicalResult evaluate(mlir::Operation &op, Frame &frame);

  int64_t index;
  const World &world;
  Precision precision;
  std::optional<ValueMover> roundings; ///< absent: no value is moved
  RendezvousTable &table;
  std::string action;
  int depth = 0; ///< of calls
  mlir::Operation *waitingOp = nullptr;
  std::optional<mlir::Location> failedAt;
  std::string reason;
};

/// Runs `body` for every rank of `world`, each in its own thread, and waits for all ranks. A single
/// rank runs on the caller's thread. Emits an error for a failed rank, or for a deadlock. Of
/// several failed ranks only one is reported. The error of a deadlock has a note for each of the
/// first eight waiting ranks, and one note that counts the other waiting ranks.
mlir::LogicalResult runRanks(const World &world, Precision precision, mlir::Location location,
                             llvm::function_ref<mlir::LogicalResult(Rank &)> body);

} // namespace pcc::interpret
