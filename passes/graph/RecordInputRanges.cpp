// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records which integers the inputs of a model may hold (ModuleFacts.h). Labels are classes of
// their loss or its ignored label, and indices are rows of their table. Programs check their data
// against these ranges. Assumes losses as composites; the importer has recorded the labels of
// losses that it decomposed. Leaves out inputs of which only a part is read so, such as one column.
#include "dialects/graph/ModuleFacts.h"
#include "passes/graph/Passes.h"

using namespace mlir;

namespace pcc::graph {

#define GEN_PASS_DEF_GRAPHRECORDINPUTRANGES
#include "passes/graph/Passes.h.inc"

/// Restricts the labels of a loss to the classes along the last dimension of `scores`.
template <typename Loss> static void restrictLabels(Loss loss, RankedTensorType scores) {
  if (!isa<FloatType>(loss.getLabels().getType().getElementType()))
    restrictInput(loss.getLabels(), {0, scores.getShape().back() - 1, loss.getIgnoreIndex()});
}

static void restrictIndices(GatherOp gather) {
  int64_t rows = gather.getInput().getType().getDimSize(gather.getAxis());
  restrictInput(gather.getIndices(), {0, rows - 1, std::nullopt});
}

struct GraphRecordInputRanges : impl::GraphRecordInputRangesBase<GraphRecordInputRanges> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto entropy = dyn_cast<SoftmaxCrossEntropyOp>(op))
        restrictLabels(entropy, entropy.getLogits().getType());
      else if (auto likelihood = dyn_cast<NllOp>(op))
        restrictLabels(likelihood, likelihood.getLogProbabilities().getType());
      else if (auto gather = dyn_cast<GatherOp>(op))
        restrictIndices(gather);
    });
  }
};

} // namespace pcc::graph
