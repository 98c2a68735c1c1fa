// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FuseHeadTransposes: lets attention instructions read and write tensors whose positions come
// before the heads.
//
//   %q = transpose %0, [0, 2, 1, 3]       one instruction that reads %0, [batch, positions, heads,
//   …                                     width], as matmuls have written it, and writes %2 in the
//   %1 = attention %q, %k, %v             same layout
//   %2 = transpose %1, [0, 2, 1, 3]
//
// A separate transpose only moves data: an attention implementation reads strided rows as well as
// contiguous ones.
//
// Assumes core ops, as they are when kernels are chosen. An attention takes all of its transposes
// or none: query, key and value must come from transposes, and the result must go to one. The same
// holds for an attention gradient, which also reads the result and its gradient, and has three
// results. Leaves each group annotated (dialects/task/EpilogueAttrs.h). Transposes that other ops
// read as well are cloned. A gradient that reads the result of such an attention gets a transpose
// of the stored result, in its own instruction.
#include "passes/analysis/kernels/HeadTransposes.h"
#include "passes/fusion/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/task/EpilogueAttrs.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::fusion {
#define GEN_PASS_DEF_FUSEHEADTRANSPOSES
#include "passes/fusion/Passes.h.inc"

namespace {
/// One attention or its gradient, and the transposes in its instruction.
class AttentionInstruction {
public:
  AttentionInstruction(Operation *attention, int64_t number)
      : attention(attention), b(attention),
        annotation(Builder(attention->getContext()).getI64IntegerAttr(number)) {
    attention->setAttr(task::attentionAttrName, annotation);
  }

  /// Gives the attention a clone of the transpose that produces the operand.
  void takeBefore(OpOperand &operand) {
    Operation *old = operand.get().getDefiningOp(), *own = b.clone(*old);
    own->setAttr(task::attentionAttrName, annotation);
    operand.set(own->getResult(0));
    if (isOpTriviallyDead(old))
      old->erase();
  }
  /// Takes the transpose of a result, or creates one.
  TransposeOp takeBehind(Value result);

private:
  Operation *attention;
  OpBuilder b;
  IntegerAttr annotation;
};
} // namespace

TransposeOp AttentionInstruction::takeBehind(Value result) {
  TransposeOp taken = analysis::headTransposeAfter(result);
  if (!taken)
    taken = TransposeOp::create(b, attention->getLoc(), result, analysis::headsWithPositions);
  taken->moveAfter(attention);
  taken->setAttr(task::attentionAttrName, annotation);
  return taken;
}

static void take(AttentionGradientOp op, int64_t number) {
  AttentionInstruction instruction(op, number);
  for (OpOperand *operand : {&op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable(),
                             &op.getResultMutable(), &op.getGradientMutable()})
    instruction.takeBefore(*operand);
  for (Value result : {op.getQueryGradient(), op.getKeyGradient(), op.getValueGradient()})
    instruction.takeBehind(result);
}

/// Takes the attention. Other readers of the result read a transpose of the stored tensor instead.
static void take(AttentionOp op, int64_t number) {
  AttentionInstruction instruction(op, number);
  for (OpOperand *operand : {&op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable()})
    instruction.takeBefore(*operand);
  TransposeOp left = instruction.takeBehind(op.getResult());
  OpBuilder b(left->getBlock(), std::next(left->getIterator()));
  auto back = TransposeOp::create(b, op.getLoc(), left.getResult(), left.getPermutation());
  op.getResult().replaceAllUsesExcept(back.getResult(), left);
  if (back->use_empty())
    back->erase();
}

/// Annotates the attentions of a function; returns the numbers of attentions and of gradients.
static std::pair<int64_t, int64_t> annotateAttentions(func::FuncOp function) {
  int64_t attentions = 0, gradients = 0;
  Block &body = function.getBody().front();
  for (auto op : llvm::to_vector(body.getOps<AttentionOp>()))
    if (analysis::usesHeadTransposes(op))
      take(op, attentions++);
  for (auto op : llvm::to_vector(body.getOps<AttentionGradientOp>()))
    if (analysis::asHeadTranspose(op.getResult().getDefiningOp()) &&
        analysis::usesHeadTransposes(op))
      take(op, attentions + gradients++);
  return {attentions, gradients};
}

namespace {
struct FuseHeadTransposes : impl::FuseHeadTransposesBase<FuseHeadTransposes> {
  void runOnOperation() override {
    int64_t attentions = 0, gradients = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      auto [own, ofOwn] = annotateAttentions(function);
      attentions += own;
      gradients += ofOwn;
    }
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("fuse-head-transposes").category("fusion"))
        << remark::metric("attentions", attentions) << remark::metric("gradients", gradients);
  }
};
} // namespace
} // namespace pcc::fusion
