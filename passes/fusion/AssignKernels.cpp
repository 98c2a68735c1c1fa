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
#include "passes/fusion/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "dialects/task/EpilogueAttrs.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/kernels/Epilogues.h"
#include "passes/analysis/kernels/KernelGroups.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::analysis::KernelGroup;
using pcc::analysis::KernelGroups;
using pcc::task::FormKind;

namespace pcc::fusion {
#define GEN_PASS_DEF_ASSIGNKERNELS
#include "passes/fusion/Passes.h.inc"

/// Gives a kernel number to each cheap op whose value must be in memory, so that it is not
/// recomputed.
static void materializeOperands(func::FuncOp function) {
  Builder builder(function.getContext());
  function.walk([](Operation *op) { op->removeAttr(analysis::kernelAttrName); });
  for (Operation &op : function.getBody().front()) {
    if (!analysis::readsMemory(&op))
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

/// Whether an instruction can perform the op for a matmul with the same annotation. The instruction
/// must have a field for the op, or the op must be part of the activation's decomposition.
static bool fitsInstruction(Operation *op, Operation *matmul) {
  if (op == matmul)
    return isa<MatmulOp>(op);
  bool isInDecomposition =
      matmul->hasAttr(task::activationAttrName) && !isa<MatmulOp, Conv2dOp>(op);
  return isInDecomposition || isa<AddOp, ReluOp, ReduceOp>(op);
}

static LogicalResult joinAnnotatedMatmuls(KernelGroups &groups, func::FuncOp function) {
  DenseMap<Attribute, Operation *> matmuls;
  for (Operation &op : function.getBody().front()) {
    Attribute annotation = op.getAttr(task::matmulGroupAttrName);
    KernelGroup *own = groups.of(&op);
    if (!annotation || !own) // an op without readers has no group
      continue;
    Operation *matmul = matmuls.try_emplace(annotation, &op).first->second;
    KernelGroup *group = groups.of(matmul);
    if (!fitsInstruction(&op, matmul) || group->loops.kind != FormKind::Matmul ||
        (own != group && !groups.join(group, own, group->loops)))
      return op.emitOpError()
             << "cannot run in the instruction of the matmul that has its annotation: expected "
                "annotations as \"--fuse-epilogues\" sets them";
  }
  return success();
}

/// Whether the op is an attention with the same annotation, a transpose that only the attention
/// reads, or a transpose of its result.
static bool fitsAttention(Operation *op, Operation *attention) {
  if (op == attention)
    return true;
  return isa<TransposeOp>(op) && (op->getOperand(0).getDefiningOp() == attention ||
                                  analysis::onlyReader(op->getResult(0)) == attention);
}

/// Whether the group is complete: the attention alone, or with the transposes of all operands and
/// results that have heads.
static bool isComplete(const KernelGroup &group, Operation *attention) {
  size_t transposes = isa<AttentionOp>(attention) ? 4 : 8;
  return group.ops.size() == 1 || group.ops.size() == 1 + transposes;
}

/// Joins attentions with the transposes of their operands and results.
static LogicalResult joinAnnotatedAttentions(KernelGroups &groups, func::FuncOp function) {
  llvm::MapVector<Attribute, Operation *> attentions;
  for (Operation &op : function.getBody().front())
    if (Attribute annotation = op.getAttr(task::attentionAttrName);
        annotation && analysis::isAttention(&op))
      attentions.insert({annotation, &op});
  auto fail = [](Operation *op) {
    return op->emitOpError() << "cannot run in the instruction of the attention that has its "
                                "annotation: expected annotations as "
                                "\"--fuse-head-transposes\" sets them";
  };
  for (Operation &op : function.getBody().front()) {
    Attribute annotation = op.getAttr(task::attentionAttrName);
    KernelGroup *own = groups.of(&op);
    if (!annotation || !own)
      continue;
    Operation *attention = attentions.lookup(annotation);
    KernelGroup *group = attention ? groups.of(attention) : nullptr;
    if (!group || !fitsAttention(&op, attention) ||
        (own != group && !groups.join(group, own, group->loops)))
      return fail(&op);
  }
  for (auto [annotation, attention] : attentions)
    if (KernelGroup *group = groups.of(attention); group && !isComplete(*group, attention))
      return fail(attention);
  return success();
}

/// Joins matmuls and attentions with the ops that have the same annotation
/// (dialects/task/EpilogueAttrs.h). Fails if an annotated op does not fit the instruction.
static LogicalResult joinAnnotated(KernelGroups &groups, func::FuncOp function) {
  return success(succeeded(joinAnnotatedMatmuls(groups, function)) &&
                 succeeded(joinAnnotatedAttentions(groups, function)));
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
    KernelGroups groups(function);
    if (failed(joinAnnotated(groups, function)))
      return signalPassFailure();
    analysis::joinGroups(groups, function);
    annotate(function, groups);
  }

  static void annotate(func::FuncOp function, const KernelGroups &groups) {
    Builder builder(function.getContext());
    SmallVector<Attribute> forms;
    for (KernelGroup *group : groups.order()) {
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
