// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a plan that was made without prices (recursive cuts) cheaper under the cost model
// `roofline`, on its own mesh: what it leaves open is searched first, then every op, boundary and
// shared value tries its other ways (passes/solve/Improve.h).
#pragma once

#include "passes/strategy/Search.h"

namespace pcc::strategy {

/// `program` has the plan; what is in `fixed`, on the same mesh, stays.
SearchOutcome improveSearch(mlir::ModuleOp module, PinnedProgram program, GivenShardings fixed,
                            const abi::Cluster &cluster, const SearchOptions &options);

} // namespace pcc::strategy
