// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes this machine, in the form that `--cluster` reads, from measurements.
#pragma once

#include "runtime/abi/cluster.pb.h"
#include "tools/pcc/calibrate/RunTimer.h"

namespace pcc::cli {

/// Measures matmuls, elementwise kernels, sums, memory and, with several ranks, all-reduces. Prints
/// to stderr how well the figures fit. Fails after a diagnostic.
mlir::FailureOr<abi::Cluster> calibrate(RunTimer &timer, bool quick);

} // namespace pcc::cli
