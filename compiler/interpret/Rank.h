// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank of a program while it runs: evaluates functions and meets the other ranks.
#pragma once

#include "compiler/interpret/Rendezvous.h"
#include "compiler/interpret/Roundings.h"
#include "compiler/interpret/Tensor.h"
#include "compiler/interpret/World.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::interpret {

class Rank {
public:
  Rank(int64_t index, const World &world, Precision precision, Rendezvous &rendezvous)
      : index(index), world(world), precision(precision), rendezvous(rendezvous) {
    if (precision == Precision::MovedThere || precision == Precision::MovedBack)
      roundings.emplace(precision == Precision::MovedThere ? Direction::There : Direction::Back);
  }

  /// Among all ranks.
  int64_t getIndex() const { return index; }
  int64_t getStage() const { return index / world.mesh.getNumRanks(); }
  /// On the mesh of its stage.
  int64_t getPosition() const { return index % world.mesh.getNumRanks(); }
  const World &getWorld() const { return world; }
  const dist::Mesh &getMesh() const { return world.mesh; }
  Precision getPrecision() const { return precision; }

  /// The rank at `position` of this rank's stage.
  int64_t getNeighbor(int64_t position) const { return world.getRank(getStage(), position); }

  /// Messages between stages meet under the name of the slot that the ranks are in: empty, or
  /// `microbatch 1, copy 0`.
  void beginSlot(llvm::StringRef name) { slot = name.str(); }
  llvm::StringRef getSlot() const { return slot; }

  /// The results of `function` on `arguments`, whose types are those of its arguments.
  mlir::FailureOr<llvm::SmallVector<Tensor>> call(mlir::func::FuncOp function,
                                                  llvm::ArrayRef<Tensor> arguments);

  /// Gives `gift` to the ranks of `group` at `op` under `channel`, as the member at `position`, and
  /// waits for theirs.
  mlir::FailureOr<std::shared_ptr<Meeting>> meet(mlir::Operation *op, llvm::ArrayRef<int64_t> group,
                                                 int64_t position, llvm::StringRef channel,
                                                 Gift gift);

  /// Gives without waiting.
  void send(llvm::ArrayRef<int64_t> group, int64_t position, llvm::StringRef channel, Gift gift) {
    rendezvous.post(group, position, channel, std::move(gift));
  }

  /// Records why this rank cannot go on; the first reason stays.
  mlir::LogicalResult fail(mlir::Location location, const llvm::Twine &message);

  bool hasFailed() const { return failedAt.has_value(); }
  mlir::Location getFailureLocation() const { return *failedAt; }
  llvm::StringRef getFailure() const { return reason; }

  /// The op at which the rank waited last, null if it never did.
  mlir::Operation *getWaitingOp() const { return waitingOp; }

private:
  /// The values of the present function that are still needed.
  class Frame;
  mlir::LogicalResult evaluate(mlir::Operation &op, Frame &frame);

  int64_t index;
  const World &world;
  Precision precision;
  std::optional<Roundings> roundings; ///< nothing: no value is moved
  Rendezvous &rendezvous;
  std::string slot;
  int depth = 0; ///< of calls
  mlir::Operation *waitingOp = nullptr;
  std::optional<mlir::Location> failedAt;
  std::string reason;
};

/// Runs `body` for every rank of `world`, each in its own thread, and waits for all. A rank that
/// fails or ranks that wait for one another are diagnosed; the second with one note for each
/// waiting rank, the first of many.
mlir::LogicalResult runRanks(const World &world, Precision precision, mlir::Location location,
                             llvm::function_ref<mlir::LogicalResult(Rank &)> body);

} // namespace pcc::interpret
