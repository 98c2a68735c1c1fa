// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the matcher of AttentionScores.h on every matmul that is left after attentions have been
// raised, and keeps the reasons.
#include "passes/graph/raise/MissedAttention.h"

#include "passes/graph/raise/AttentionScores.h"

using namespace mlir;

namespace pcc::graph {

SmallVector<MissedAttention> findMissedAttentions(Operation *op) {
  SmallVector<MissedAttention> missed;
  op->walk([&](MatmulOp matmul) {
    std::string obstacle;
    if (!matchAttention(matmul, obstacle) && !obstacle.empty())
      missed.push_back({findWeights(matmul), obstacle});
  });
  return missed;
}

} // namespace pcc::graph
