// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records which integers the inputs of a model may hold (ModuleFacts.h): labels are classes of
// their loss, or its ignored label, and indices are rows of their table. Programs check their data
// against that. Assumes losses as whole ops; those that the importer took to pieces recorded their
// labels then. Leaves out what only a part of an input is read as, such as one column of it.
#include "dialects/graph/ModuleFacts.h"
#include "passes/graph/Passes.h"

using namespace mlir;

namespace pcc::graph {

#define GEN_PASS_DEF_GRAPHRECORDINPUTRANGES
#include "passes/graph/Passes.h.inc"

/// The labels of a loss over the classes that are the last dimension of `scores`.
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
