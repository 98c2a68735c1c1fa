// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements of `pcc calibrate`, and the figures that follow from them.
#pragma once

#include "runtime/machine/Fit.h"
#include "tools/pcc/calibrate/RunTimer.h"

namespace pcc::cli {

/// Measures matmuls of an element type, from small ones to some that no cache holds; with `quick`
/// only few and small ones.
mlir::FailureOr<machine::MatmulFit> measureMatmuls(RunTimer &timer, llvm::StringRef type,
                                                   bool quick);

/// Measures elementwise operations in cache, every fourth a tanh: flops per second, and the launch
/// time.
mlir::FailureOr<machine::LineFit> measureElements(RunTimer &timer, bool quick);

/// Measures sums of rows in cache: flops per second.
mlir::FailureOr<machine::LineFit> measureSums(RunTimer &timer, bool quick);

/// Measures sums of two arrays that no cache holds: bytes per second, read and written.
mlir::FailureOr<machine::LineFit> measureMemory(RunTimer &timer, bool quick);

/// Measures all-reduces over all ranks, at least two: bytes of one rank's operand per second.
mlir::FailureOr<machine::LineFit> measureAllReduce(RunTimer &timer, bool quick);

/// Measures how much an all-reduce slows down a concurrent matmul, as a share of the time in which
/// both run. The share is 0 if both take no longer than the longer one alone, and 1 if they take as
/// long as one after the other. Noise may put it outside this range. The all-reduce takes half as
/// long as the matmul, by the rate in `allReduce`.
mlir::FailureOr<double> measureShare(RunTimer &timer, const machine::LineFit &allReduce,
                                     bool quick);

} // namespace pcc::cli
