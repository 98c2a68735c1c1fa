// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph dialect by families.
#ifndef PCC_DIALECTS_GRAPH_GRAPHOPS_TD
#define PCC_DIALECTS_GRAPH_GRAPHOPS_TD

include "dialects/graph/ops/GraphAttention.td"
include "dialects/graph/ops/GraphContraction.td"
include "dialects/graph/ops/GraphElementwise.td"
include "dialects/graph/ops/GraphLeaves.td"
include "dialects/graph/ops/GraphLoss.td"
include "dialects/graph/ops/GraphNorm.td"
include "dialects/graph/ops/GraphOptimizer.td"
include "dialects/graph/ops/GraphReduce.td"
include "dialects/graph/ops/GraphShape.td"
include "dialects/graph/ops/GraphWindow.td"

#endif // PCC_DIALECTS_GRAPH_GRAPHOPS_TD
