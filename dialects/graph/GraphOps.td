// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph dialect by families.
#ifndef PCC_DIALECTS_GRAPH_GRAPHOPS_TD
#define PCC_DIALECTS_GRAPH_GRAPHOPS_TD

include "dialects/graph/GraphAttention.td"
include "dialects/graph/GraphContraction.td"
include "dialects/graph/GraphElementwise.td"
include "dialects/graph/GraphLeaves.td"
include "dialects/graph/GraphLoss.td"
include "dialects/graph/GraphNorm.td"
include "dialects/graph/GraphOptimizer.td"
include "dialects/graph/GraphReduce.td"
include "dialects/graph/GraphShape.td"
include "dialects/graph/GraphWindow.td"

#endif // PCC_DIALECTS_GRAPH_GRAPHOPS_TD
