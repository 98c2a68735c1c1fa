// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits a reshard plan as ops on the blocks of one rank.
#pragma once

#include "mlir/IR/Builders.h"
#include "passes/analysis/reshard/ReshardPlan.h"

namespace pcc::partition {

/// Emits the steps of `plan` on `block`, this rank's part of a tensor of `globalShape`. Returns the
/// block under the plan's last sharding.
mlir::Value emitPlan(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value block,
                     const analysis::ReshardPlan &plan, llvm::ArrayRef<int64_t> globalShape,
                     const dist::Mesh &mesh);

} // namespace pcc::partition
