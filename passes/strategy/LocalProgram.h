// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one rank would run of an op that is split in some way, without a program around it: the ops
// of its local form, or the same op on local shapes. Partition builds the same from the same
// interface, so what is priced here is what will run.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/strategy/OpSharding.h"

namespace pcc::strategy {

class LocalProgram {
public:
  /// A module of its own on `mesh`, in the context of the ops that will be asked for.
  LocalProgram(mlir::MLIRContext *context, const dist::Mesh &mesh);

  /// The local form of `op` split as `sharding`, as a function of the blocks of the op's operands.
  /// Null if the same op on local shapes will do. Valid until the next call.
  mlir::func::FuncOp build(mlir::Operation *op, const OpSharding &sharding);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  dist::Mesh mesh;
};

} // namespace pcc::strategy
