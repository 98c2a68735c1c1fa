// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes products of many f32 factors. A partial product may be out of the range of f32 although
// the final product is not: an infinite part times one that underflowed would be NaN. A part is
// therefore a mantissa and a power of two, in one i64. A part thus fits loops, memory and exchanges
// between threads:
//
//   bits 63…32   the exponent, an i32
//   bits 31…0    the mantissa, an f32 of magnitude 1 to 2; or zero, an infinity or NaN
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pcc::lower {

/// Converts an f32 to a part.
mlir::Value emitScaled(mlir::ImplicitLocOpBuilder &builder, mlir::Value number);

/// Multiplies two parts. The exponent stays within 2^30, which 8 million factors of the greatest
/// magnitude reach.
mlir::Value emitScaledProduct(mlir::ImplicitLocOpBuilder &builder, mlir::Value a, mlir::Value b);

/// Converts a part to f32, rounding once.
mlir::Value emitUnscaled(mlir::ImplicitLocOpBuilder &builder, mlir::Value part);

} // namespace pcc::lower
