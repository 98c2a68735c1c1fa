// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitBatch: turns the model of a batch into the model of one of its microbatches. Assumes that
// dimension 0 of every input is the batch. Leaves every op as it is, on smaller shapes. Refuses
// models without a batch to follow: control flow, and inputs of unknown size.
#include "dialects/graph/Graph.h"
#include "passes/graph/BatchExtent.h"
#include "passes/graph/Passes.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHSPLITBATCH
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// Divides the found dimensions; the value of a splat follows its type.
static void divide(const BatchExtent &extent, int64_t count) {
  for (auto [value, dim] : extent.getDims()) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] /= count;
    value.setType(type.clone(shape));
  }
  for (auto [value, dim] : extent.getDims())
    if (auto constant = value.getDefiningOp<ConstantOp>())
      constant.setValueAttr(
          cast<SplatElementsAttr>(constant.getValue()).resizeSplat(constant.getResult().getType()));
}

/// Updates the function's type after its arguments and returned values have changed theirs.
static void updateSignature(func::FuncOp function) {
  Operation *terminator = function.getBody().back().getTerminator();
  function.setType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(),
                                     terminator->getOperandTypes()));
}

namespace {
struct SplitBatch : public pcc::graph::impl::GraphSplitBatchBase<SplitBatch> {
  using GraphSplitBatchBase::GraphSplitBatchBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (count < 1) {
      function.emitError() << "expected 1 or more microbatches, got " << count.getValue();
      return signalPassFailure();
    }
    if (function.isDeclaration() || count == 1)
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "expected one block, got " << function.getBody().getBlocks().size();
      return signalPassFailure();
    }
    FailureOr<BatchExtent> extent = BatchExtent::find(function, count);
    if (failed(extent))
      return signalPassFailure();
    divide(*extent, count);
    updateSignature(function);
  }
};
} // namespace
