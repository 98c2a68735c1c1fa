// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of attention and its gradient for split positions.
//
// If the key has the query's positions, both are split, and blocks of the key travel around a ring
// of ranks (RingAttention.cpp). Otherwise only the positions of the query are split: a block of a
// sequence sees all keys, and a causal attention is given the offset at which the block begins. In
// the gradient, a block of positions, or some heads of a group, give partial sums for key and
// value. The query's gradient belongs to the block alone.
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;
using pcc::analysis::LocalFormOpInterface;
using pcc::dist::AxisList;

namespace pcc::partition {
namespace {

using Values = SmallVector<Value>;

/// Returns the factors of a dimension of an operand.
DimFactors factorsOf(Operation *op, unsigned operand, unsigned dim) {
  return cast<FactorRuleOpInterface>(op).getFactorRule().getOperands()[operand][dim];
}

bool isOfPositions(Operation *op, unsigned factor) {
  return llvm::is_contained(factorsOf(op, 0, 2), factor);
}

/// Returns whether the key has the same positions as the query, split in the same way.
bool sharesPositions(Operation *op) { return factorsOf(op, 0, 2) == factorsOf(op, 1, 2); }

/// Returns whether the factor counts the heads of one group: a factor of the query's heads that the
/// key's heads lack.
bool isOfGroup(Operation *op, unsigned factor) {
  return llvm::is_contained(factorsOf(op, 0, 1), factor) &&
         !llvm::is_contained(factorsOf(op, 1, 1), factor);
}

/// Builds the op on blocks, on a ring of ranks if the key's positions are split, too. Otherwise
/// positions of a causal op count from the block's first one. Types may be those of one rank
/// already, so that only shardings tell what is split.
template <typename Op>
Values buildBlock(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) {
  auto whole = cast<Op>(op);
  AxisList axes = analysis::getOperandSharding(op, 0).getDim(2);
  if (axes.empty())
    return {};
  if (!analysis::getOperandSharding(op, 1).getDim(2).empty())
    return buildRing(whole, builder, operands, axes);
  if (!whole.getCausal())
    return {};
  Location loc = op->getLoc();
  auto block = cast<Op>(cloneOn(builder, op, operands, types));
  builder.setInsertionPoint(block);
  int64_t positions = block.getQuery().getType().getDimSize(2);
  Value offset = makeOffset(builder, loc, axes, positions);
  auto type = cast<RankedTensorType>(offset.getType());
  int64_t all = positions * dist::getMesh(op).getSize(axes);
  Value own = block.getOffset();
  own = own ? spread(builder, loc, own, type)
            : graph::ConstantOp::create(builder, loc, type,
                                        double(block.getKey().getType().getDimSize(2) - all));
  block.getOffsetMutable().assign(graph::AddOp::create(builder, loc, type, own, offset));
  builder.setInsertionPointAfter(block);
  return Values(block->getResults());
}

struct AttentionForm : LocalFormOpInterface::ExternalModel<AttentionForm, graph::AttentionOp> {
  bool canSplitWhole(Operation *op, unsigned factor) const { return isOfPositions(op, factor); }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    return buildBlock<graph::AttentionOp>(op, builder, operands, types);
  }
};

struct GradientForm
    : LocalFormOpInterface::ExternalModel<GradientForm, graph::AttentionGradientOp> {
  bool canSplitWhole(Operation *op, unsigned factor) const {
    return isOfPositions(op, factor) || isOfGroup(op, factor);
  }
  bool leavesPartial(Operation *op, unsigned factor) const {
    return isOfGroup(op, factor) || (isOfPositions(op, factor) && !sharesPositions(op));
  }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    return buildBlock<graph::AttentionGradientOp>(op, builder, operands, types);
  }
};

} // namespace

void attachAttentionForms(MLIRContext *context) {
  graph::AttentionOp::attachInterface<AttentionForm>(*context);
  graph::AttentionGradientOp::attachInterface<GradientForm>(*context);
}

} // namespace pcc::partition
