// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of any size for instructions that are not launches:
//
//   pcc_accumulate_T(f32 *sum, T *source, i64 count, i64 adds)
//   pcc_product_T_R(T *a, T *b, R *c, R *bias, R *kept, R *sum, i64 batch, i64 m, i64 n, i64 k,
//                   i64 flags)
//   pcc_finish_T_R, with the same arguments
//
// Convolutions, attention and collectives have such kernels too; docs/spec/kernels.md has all. A
// sum has no library call. The other instructions have one, and use these kernels if the library is
// missing or does less. The kernels are correct, not fast.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::lower {

/// Adds to `kernels` the support kernels that the instructions of the module's programs need, each
/// once. Fails with a diagnostic at an integer matmul, which no device has.
mlir::LogicalResult emitSupportKernels(mlir::ModuleOp module, mlir::gpu::GPUModuleOp kernels);

} // namespace pcc::lower
