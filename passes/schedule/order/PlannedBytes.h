// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory size of the plan for the current order of kernels, without creating the plan.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc::schedule {

/// Returns the bytes of parameters, states, sums, inputs and temporaries of a module with kernels.
/// Annotates the places of sums, which the plan will annotate anew. Fails with a diagnostic in the
/// same cases as the plan.
mlir::FailureOr<int64_t> countPlannedBytes(mlir::ModuleOp module);

} // namespace pcc::schedule
