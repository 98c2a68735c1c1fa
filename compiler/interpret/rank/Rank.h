// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank of a running program: evaluates functions and communicates with the other ranks.
#pragma once

#include "compiler/interpret/rank/MoveByRounding.h"
#include "compiler/interpret/rank/Rendezvous.h"
#include "compiler/interpret/rank/World.h"
#include "compiler/values/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::interpret {

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
