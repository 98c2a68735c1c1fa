// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces the cost of a plan that was made without a cost model (recursive cuts), under the cost
// model `roofline` and on the plan's own mesh. Axis by axis, every op, boundary and shared value
// tries the other roles that the axis could have, all nodes jointly
// (passes/solve/strategy/primal/Improve.h).
//
//   axis   an op of factors i, j, k      a value, now [x.y, _] partial(sum: z)
//   x      i, or j, k, nothing           [y, _] and [y, x] …: the dimension that x cuts, or none
//   y      k, or i, j, nothing
//
// A node thus has few options, and the time is linear in the nodes and the axes, as long as tables
// hold the costs of all reshards (ReshardTable.h). On small programs and meshes of few axes, all
// options of all nodes are considered in the end.
#pragma once

#include "passes/strategy/search/Search.h"

namespace pcc::strategy {

/// Improves the plan with which the program is annotated (ShardingAnnotator.h) on `mesh`; the
/// shardings in `fixed` stay. The result is never more expensive. The outcome holds `fixed` and the
/// improved plan, but no bound.
SearchOutcome improveSearch(mlir::ModuleOp module, const dist::Mesh &mesh, SeedShardings fixed,
                            const abi::Cluster &cluster, const SearchOptions &options);

} // namespace pcc::strategy
