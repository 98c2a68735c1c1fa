// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the memory plan of the present order of kernels would take, before there is one.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc::schedule {

/// Bytes of parameters, states, sums, inputs and temporaries of a module with kernels. Places of
/// sums are annotated, as the plan will do anew. Fails after a diagnostic, as the plan would.
mlir::FailureOr<int64_t> countPlannedBytes(mlir::ModuleOp module);

} // namespace pcc::schedule
