// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitBatch: turns the model of a batch into the model of one of its microbatches. Assumes that
// dimension 0 of every input is the batch. Leaves every op as it is, on smaller shapes. Refuses
// models whose samples depend on each other (passes/analysis/batch/BatchDependence.h).
#include "passes/analysis/batch/BatchDependence.h"
#include "passes/graph/Passes.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::analysis::BatchDependence;
namespace analysis = pcc::analysis;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHSPLITBATCH
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// Gives every use of a constant a constant of its own.
static void separateConstants(func::FuncOp function) {
  SmallVector<ConstantOp> constants;
  function.walk([&](ConstantOp op) {
    if (!op.getType().getShape().empty())
      constants.push_back(op);
  });
  for (ConstantOp op : constants) {
    auto uses = llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
    for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1)) {
      OpBuilder builder(op);
      use->set(builder.clone(*op)->getResult(0));
    }
  }
}

/// Divides the dimensions of the samples; the values of constants follow their types.
static void divide(const BatchDependence &batch, int64_t count) {
  for (auto [value, place] : batch.getRows())
    if (auto constant = value.getDefiningOp<ConstantOp>())
      constant.setValueAttr(batch.cutConstant(constant, count));
  for (auto [value, place] : batch.getRows()) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[place.dim] /= count;
    value.setType(type.clone(shape));
  }
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
      function.emitError() << "expected 1 or more parts, microbatches times copies, got "
                           << count.getValue();
      return signalPassFailure();
    }
    if (function.isDeclaration() || count == 1)
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "expected one block, got " << function.getBody().getBlocks().size();
      return signalPassFailure();
    }
    separateConstants(function);
    FailureOr<BatchDependence> batch = BatchDependence::analyze(function, count);
    if (failed(batch))
      return signalPassFailure();
    divide(*batch, count);
    for (Operation *op : batch->getAdders())
      op->setAttr(analysis::addsSamplesAttrName, UnitAttr::get(&getContext()));
    for (Operation *op : batch->getDivisions())
      op->setAttr(analysis::dividesSumsAttrName, UnitAttr::get(&getContext()));
    updateSignature(function);
  }
};
} // namespace
