// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a plan that was made without prices (recursive cuts) cheaper under the cost model
// `roofline`, on its own mesh: axis by axis, every op, boundary and shared value tries what else
// the axis could do for it, all of them together (passes/solve/Improve.h).
//
//   axis   an op of factors i, j, k   [x.y, _] partial(sum: z)    a value
//   x      i, or j, k, nothing        [y, _] and [y, x] …         the dimension that it cuts, or
//   none y      k, or i, j, nothing
//
// So there are few options to a node, and the time is linear in the nodes and the axes, as long as
// tables have the prices of all reshards (ReshardTable.h). Where all ways are few, on small
// programs and meshes of few axes, all nodes go on with all of them.
#pragma once

#include "passes/strategy/Search.h"

namespace pcc::strategy {

/// The program is marked by its plan (StepMarker.h) on `mesh`; what is in `fixed` stays. Never
/// dearer. The outcome has the better plan beside what is in `fixed`, and no bound.
SearchOutcome improveSearch(mlir::ModuleOp module, const dist::Mesh &mesh, GivenShardings fixed,
                            const abi::Cluster &cluster, const SearchOptions &options);

} // namespace pcc::strategy
