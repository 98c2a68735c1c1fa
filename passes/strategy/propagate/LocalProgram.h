// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the ops that one rank would run for a split op, without the surrounding program. They are
// the ops of its local form, or the same op on local shapes. Partition builds the same ops by the
// same interface, so the cost computed here is the cost of the ops that will run.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/strategy/propagate/OpSharding.h"

namespace pcc::strategy {

class LocalProgram {
public:
  /// Creates an empty module on `mesh`, in the context of the ops that will be passed to build().
  LocalProgram(mlir::MLIRContext *context, const dist::Mesh &mesh);

  /// Returns the local form of `op` split as `sharding`, as a function of the blocks of the op's
  /// operands. Returns null if the same op on local shapes suffices. Valid until the next call.
  mlir::func::FuncOp build(mlir::Operation *op, const OpSharding &sharding);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  dist::Mesh mesh;
};

} // namespace pcc::strategy
