// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of many f32 whose parts may be out of the range of f32 although the whole is not: an
// infinite part times one that underflowed would be no number. A part is therefore a mantissa and a
// power of two, in one i64, so that it fits loops, memory and exchanges between threads:
//
//   bits 63…32   the exponent, an i32
//   bits 31…0    the mantissa, an f32 of magnitude 1 to 2; or zero, an infinity or NaN
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pcc::lower {

/// The part that an f32 is.
mlir::Value emitScaled(mlir::ImplicitLocOpBuilder &builder, mlir::Value number);

/// The product of two parts. Its exponent stays within 2^30, which 8 million factors of the
/// greatest magnitude reach.
mlir::Value emitScaledProduct(mlir::ImplicitLocOpBuilder &builder, mlir::Value a, mlir::Value b);

/// The f32 that a part is, rounded once.
mlir::Value emitUnscaled(mlir::ImplicitLocOpBuilder &builder, mlir::Value part);

} // namespace pcc::lower
