// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for records that are not launches, of any size:
//
//   pcc_accumulate_T(f32 *sum, T *source, i64 count, i64 adds)
//   pcc_product_T_R(T *a, T *b, R *c, R *bias, R *kept, R *sum, i64 batch, i64 m, i64 n, i64 k,
//                   i64 flags)
//   pcc_finish_T_R, with the same arguments
//
// and those of convolutions, attention and collectives; docs/spec/kernels.md has all. A sum has no
// library's call. The others have one, and go by their kernels where the library is not there, or
// does less: right, not fast.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::lower {

/// Adds to `kernels` those that the records of the module's programs ask for, each once. Fails
/// after a diagnostic at a product of integers, which no device has.
mlir::LogicalResult emitSupportKernels(mlir::ModuleOp module, mlir::gpu::GPUModuleOp kernels);

} // namespace pcc::lower
