// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says who asks for a reshard, and for the collectives of a local form. The texts come from the
// factor rules of the ops and from the reasons that the strategy has left
// (passes/analysis/sharding/Reasons.h).
#pragma once

#include "passes/analysis/sharding/Reasons.h"

namespace pcc::partition {

/// Returns the request of the reshard from `held` to `wanted` for the value that `use` reads.
analysis::Request makeRequest(mlir::OpOperand &use, const dist::Sharding &held,
                              const dist::Sharding &wanted);

/// Returns the request of a collective within the local form of `op`.
analysis::Request makeLocalRequest(mlir::Operation *op);

} // namespace pcc::partition
