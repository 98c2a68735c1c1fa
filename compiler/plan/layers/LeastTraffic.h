// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lower bound on the memory traffic of the kernels that run between matmuls, for all programs of
// a model.
//
//   %g = matmul, %u = matmul      written by their instructions
//   %s = silu %g                  %g and %u are read, and %p is written, by at least one kernel:
//   %p = mul %s, %u               3 tensors. %s may stay in registers
//   %d = matmul %p                read by its instruction
//
// Ops that a matmul's instruction may compute itself count nothing: bias, ReLU, GELU, casts, and
// sums of its factors. Devices that share the work access at least as many bytes together.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::plan {

/// Returns the bytes of matmul results that other kernels read, plus those of matmul operands that
/// other kernels write. `function` is a training or evaluation function of whole tensors, before
/// composites are decomposed.
int64_t countLeastTraffic(mlir::func::FuncOp function);

} // namespace pcc::plan
