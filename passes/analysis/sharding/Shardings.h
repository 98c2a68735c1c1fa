// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and sets the shardings on ops (`dist.in`, `dist.out`) and on the boundaries of functions
// (`dist.sharding`). A value without an annotation is replicated. Strategies as text must have been
// collected before (passes/strategy/constraints/CollectConstraints.cpp).
#pragma once

#include "dialects/dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::analysis {

/// Returns the sharding of a value: `dist.out` of the op that defines it, or `dist.sharding` of the
/// function's argument. For `dist.reshard` and `dist.to_global`, returns the sharding in the op's
/// own attribute (`to`, `sharding`).
dist::Sharding getSharding(mlir::Value value);
/// Returns the sharding that `op` requires of its operand. Only for ops with `dist.in`; the
/// operands of others count as replicated.
dist::Sharding getOperandSharding(mlir::Operation *op, unsigned operand);
/// Returns `dist.sharding` of a function's result.
dist::Sharding getResultSharding(mlir::func::FuncOp function, unsigned result);

/// The type of one rank's block of a tensor; any other type as it is.
mlir::Type getLocalType(mlir::Type type, const dist::Sharding &sharding, const dist::Mesh &mesh);

/// Sets `dist.in` and `dist.out`.
void setShardings(mlir::Operation *op, llvm::ArrayRef<dist::Sharding> operands,
                  llvm::ArrayRef<dist::Sharding> results);

} // namespace pcc::analysis
