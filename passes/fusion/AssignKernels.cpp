// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AssignKernels: decides which ops run together as one kernel, and the order of kernels.
//
// Assumes core ops on local types (no composites, losses or optimizer steps) and collectives.
// Leaves the ops as they are, with `task.kernel` on each op that gets an instruction and
// `task.forms` on the function. A cheap op gets a kernel if another op needs its value in memory: a
// broadcast that is returned, the operand of a matmul. Other cheap ops are computed inside the
// kernels that read them.
//
// A send that would read an input reads a copy of the input. Inputs are replaced when their action
// ends, and an action must not wait for the stage that receives the message (docs/spec/pipeline.md,
// "Why nothing hangs").
#include "passes/fusion/Groups.h"
#include "passes/fusion/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "dialects/task/EpilogueAttrs.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::fusion {
#define GEN_PASS_DEF_ASSIGNKERNELS
#include "passes/fusion/Passes.h.inc"

/// Whether `op` reads its operands from memory instead of element by element.
static bool readsMemory(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (op->hasAttr(task::attentionAttrName)) // a transpose in the instruction of its attention
    return true;
  FormKind kind = analysis::isRecomputed(op) ? FormKind::Map : loopsOf(op).kind;
  return kind == FormKind::Matmul || kind == FormKind::Convolution || kind == FormKind::Attention ||
         kind == FormKind::Collective || kind == FormKind::Scatter;
}

/// Gives a kernel number to each cheap op whose value must be in memory, so that it is not
/// recomputed.
static void materializeOperands(func::FuncOp function) {
  Builder builder(function.getContext());
  function.walk([](Operation *op) { op->removeAttr(analysis::kernelAttrName); });
  for (Operation &op : function.getBody().front()) {
    if (!readsMemory(&op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *root = analysis::viewRoot(operand).getDefiningOp();
      if (root && analysis::isRecomputed(root))
        root->setAttr(analysis::kernelAttrName, builder.getI64IntegerAttr(0));
    }
  }
}

/// Copies inputs that are sent. The copy is a reshape to the same type with a kernel of its own.
static void copySentInputs(func::FuncOp function) {
  for (auto send : function.getOps<pipe::SendOp>()) {
    auto argument = dyn_cast<BlockArgument>(analysis::viewRoot(send.getInput()));
    RoleAttr role = argument ? getArgRole(function, argument.getArgNumber()) : RoleAttr();
    if (!role || role.getKind() != RoleKind::Input)
      continue;
    OpBuilder builder(send);
    auto copy =
        ReshapeOp::create(builder, send.getLoc(), send.getInput().getType(), send.getInput());
    copy->setAttr(analysis::kernelAttrName, builder.getI64IntegerAttr(0));
    send.getInputMutable().assign(copy);
  }
}

/// Returns the first op that has no kernel, or null if all ops have one.
static Operation *findComposite(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (isa<EinsumOp, ArgmaxOp, ArgminOp, TopKOp, CumsumOp, SoftmaxOp, LogSoftmaxOp, LayerNormOp,
            RmsNormOp, RotaryEmbeddingOp, BatchNormOp, BatchNormInferenceOp, DropoutOp,
            SoftmaxCrossEntropyOp, NllOp, MseOp, SigmoidCrossEntropyOp, SgdOp, MomentumOp, AdamOp,
            AdamWeightDecayOp, LambOp, AdagradOp, SplitOp>(op))
      return &op;
  return nullptr;
}

namespace {
struct AssignKernels : impl::AssignKernelsBase<AssignKernels> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (Operation *op = findComposite(function)) {
      op->emitOpError() << "has no kernel: expected core ops, run "
                           "\"--graph-decompose\" and \"--fuse-prepare-kernels\" first";
      return signalPassFailure();
    }
    materializeOperands(function);
    copySentInputs(function);
    Groups groups(function);
    if (failed(joinAnnotated(groups, function)))
      return signalPassFailure();
    joinEpilogues(groups, function);
    joinProducers(groups, function);
    annotate(function, groups);
  }

  static void annotate(func::FuncOp function, const Groups &groups) {
    Builder builder(function.getContext());
    SmallVector<Attribute> forms;
    for (Group *group : groups.order()) {
      for (Operation *op : group->ops)
        op->setAttr(analysis::kernelAttrName, builder.getI64IntegerAttr(forms.size()));
      forms.push_back(task::FormAttr::get(function.getContext(), group->loops.kind,
                                          group->loops.outer, group->loops.inner));
    }
    // Values that only dead ops need in memory are not computed.
    for (Operation &op : function.getBody().front())
      if (!groups.of(&op))
        op.removeAttr(analysis::kernelAttrName);
    function->setAttr(analysis::formsAttrName, builder.getArrayAttr(forms));
    remark::passed(
        function.getLoc(),
        remark::RemarkOpts::name("assign-kernels").category("fusion").function(function.getName()))
        << remark::metric("ops", int64_t(groups.numOps()))
        << remark::metric("kernels", int64_t(forms.size()));
  }
};
} // namespace
} // namespace pcc::fusion
