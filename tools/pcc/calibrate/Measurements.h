// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `pcc calibrate` measures, and the figures that follow.
#pragma once

#include "runtime/machine/Fit.h"
#include "tools/pcc/calibrate/RunTimer.h"

namespace pcc::cli {

/// Products of an element type, from small ones to some that no cache holds; `quick`: few and small
/// ones.
mlir::FailureOr<machine::ProductFit> measureProducts(RunTimer &timer, llvm::StringRef type,
                                                     bool quick);

/// Elementwise operations, every fourth a tanh, in cache: flops a second, and the launch.
mlir::FailureOr<machine::LineFit> measureElements(RunTimer &timer, bool quick);

/// Sums of rows in cache: flops a second.
mlir::FailureOr<machine::LineFit> measureSums(RunTimer &timer, bool quick);

/// Sums of two arrays that no cache holds: bytes a second, read and written.
mlir::FailureOr<machine::LineFit> measureMemory(RunTimer &timer, bool quick);

/// All-reduces over all ranks, of which there are several: bytes of one rank's operand a second.
mlir::FailureOr<machine::LineFit> measureAllReduce(RunTimer &timer, bool quick);

/// What an all-reduce takes from a product that runs beside it, as a share of the time that both
/// run: 0 if the two take no longer than the longer of them alone, 1 if they take as long as one
/// after the other. Noise may put it outside these. The all-reduce is half as long as the product,
/// by what was measured of `allReduce`.
mlir::FailureOr<double> measureShare(RunTimer &timer, const machine::LineFit &allReduce,
                                     bool quick);

} // namespace pcc::cli
