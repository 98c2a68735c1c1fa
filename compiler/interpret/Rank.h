// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank of a program while it runs: evaluates functions and meets the other ranks.
#pragma once

#include "compiler/interpret/Rendezvous.h"
#include "compiler/interpret/Tensor.h"
#include "dialects/dist/Mesh.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::interpret {

class Rank {
public:
  Rank(int64_t index, const dist::Mesh &mesh, Precision precision, Rendezvous &rendezvous)
      : index(index), mesh(mesh), precision(precision), rendezvous(rendezvous) {}

  int64_t getIndex() const { return index; }
  const dist::Mesh &getMesh() const { return mesh; }
  Precision getPrecision() const { return precision; }

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
  const dist::Mesh &mesh;
  Precision precision;
  Rendezvous &rendezvous;
  int depth = 0; ///< of calls
  mlir::Operation *waitingOp = nullptr;
  std::optional<mlir::Location> failedAt;
  std::string reason;
};

/// Runs `body` for every rank of `mesh`, each in its own thread, and waits for all. A rank that
/// fails or ranks that wait for one another are diagnosed; the second with one note for each
/// waiting rank, the first of many.
mlir::LogicalResult runRanks(const dist::Mesh &mesh, Precision precision, mlir::Location location,
                             llvm::function_ref<mlir::LogicalResult(Rank &)> body);

} // namespace pcc::interpret
