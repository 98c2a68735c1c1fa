// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that all conversions of kernels to the LLVM dialect share.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace pcc::lower {

/// Replaces exp, expm1, log, log1p, tanh and erf of f32 by polynomials. Sine and cosine stay calls.
mlir::LogicalResult approximateMath(mlir::Operation *kernels);

/// Keeps LLVM from vectorizing the loops in which it would compute wrong addresses
/// (DisableVectorization.cpp). Expects loops of scf.
void disableUnsafeVectorization(mlir::Operation *kernels);

/// Patterns that turn functions of f64 without an intrinsic into calls of the C library. Preferred
/// to those of populateKernelPatterns.
void populateDoubleFunctions(mlir::RewritePatternSet &patterns);

/// Patterns for loops, arithmetic and math.
void populateKernelPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace pcc::lower
