// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings of functions and ops. A value without an annotation is replicated.
#pragma once

#include "dialects/dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::analysis {

/// Returns the sharding of a value: `dist.out` of the op that defines it, or `dist.sharding` of the
/// argument.
dist::Sharding getSharding(mlir::Value value);
/// Returns the sharding that `op` requires of its operand: `dist.in`.
dist::Sharding getOperandSharding(mlir::Operation *op, unsigned operand);
/// Returns `dist.sharding` of a function's result.
dist::Sharding getResultSharding(mlir::func::FuncOp function, unsigned result);

/// The type of one rank's block of a tensor; any other type as it is.
mlir::Type getLocalType(mlir::Type type, const dist::Sharding &sharding, const dist::Mesh &mesh);

/// Sets `dist.in` and `dist.out`.
void setShardings(mlir::Operation *op, llvm::ArrayRef<dist::Sharding> operands,
                  llvm::ArrayRef<dist::Sharding> results);

} // namespace pcc::analysis
