// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all decompositions by the names of the ops.
#include "dialects/graph/decompose/Decompose.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace pcc::graph {

using Table = llvm::StringMap<DecomposeFunction>;

template <typename... Ops> static Table makeTable() {
  Table table;
  (table.try_emplace(Ops::getOperationName(),
                     [](Operation *op, DecompositionBuilder &builder) {
                       return decompose(cast<Ops>(op), builder);
                     }),
   ...);
  return table;
}

DecomposeFunction findDecomposition(llvm::StringRef name) {
  static const Table table =
      makeTable<GeluOp, SiluOp, SoftplusOp, EluOp, LeakyReluOp, ClampOp, SoftmaxOp,
                SoftmaxCrossEntropyOp, NllOp, MseOp, SigmoidCrossEntropyOp, LogSoftmaxOp,
                LayerNormOp, RmsNormOp, BatchNormOp, BatchNormInferenceOp, DropoutOp, EinsumOp,
                ArgmaxOp, ArgminOp, TopKOp, CumsumOp, SgdOp, MomentumOp, AdamOp, AdamWeightDecayOp,
                LambOp, AdagradOp, AttentionOp, AttentionGradientOp, RotaryEmbeddingOp>();
  return table.lookup(name);
}

} // namespace pcc::graph
