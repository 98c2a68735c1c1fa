// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of optimizer steps that read the whole parameter:
//
//   lamb      sharded over any dimensions      the norms from sums over all blocks
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/decompose/OptimizerDecomposition.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"

using namespace mlir;

namespace pcc::partition {
namespace {

/// LAMB's norms are those of all blocks: two all-reduces sum one number each.
struct LambForm : analysis::LocalFormOpInterface::ExternalModel<LambForm, graph::LambOp> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  SmallVector<Value> buildLocal(Operation *op, OpBuilder &builder, ValueRange operands,
                                TypeRange) const {
    dist::AxisList axes = analysis::getOperandSharding(op, 0).getSplitAxes();
    if (axes.empty())
      return {};
    graph::DecompositionBuilder pieces(op->getLoc(), builder);
    auto group = dist::GroupAttr::get(builder.getContext(), axes);
    auto sumBlocks = [&](Value sum) -> Value {
      return dist::AllReduceOp::create(pieces, sum.getType(), ReduceKind::Sum, sum, group);
    };
    return graph::buildLamb(cast<graph::LambOp>(op), operands, pieces, sumBlocks);
  }
};

} // namespace

void attachOptimizerForms(MLIRContext *context) {
  graph::LambOp::attachInterface<LambForm>(*context);
}

} // namespace pcc::partition
