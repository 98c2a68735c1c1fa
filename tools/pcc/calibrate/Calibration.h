// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A description of this machine, as `--cluster` reads it, from what is measured on it.
#pragma once

#include "runtime/abi/cluster.pb.h"
#include "tools/pcc/calibrate/RunTimer.h"

namespace pcc::cli {

/// Measures products, elementwise kernels, sums, memory and, of several ranks, all-reduces, and
/// says on stderr how well the figures fit. Fails after a diagnostic.
mlir::FailureOr<abi::Cluster> calibrate(RunTimer &timer, bool quick);

} // namespace pcc::cli
