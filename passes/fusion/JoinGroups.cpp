// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which groups are worth joining.
#include "passes/fusion/Groups.h"

#include "dialects/graph/Graph.h"
#include "dialects/task/EpilogueAttrs.h"
#include "passes/analysis/kernels/Epilogues.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::fusion {

/// Maximum elements of a reduction to few values, which runs on few threads. Above this limit, the
/// work before the reduction is better done by all threads, and its result read again.
static constexpr int64_t maxNarrowReductionSize = 1 << 17;
/// Minimum number of columns per iteration of a column kernel.
static constexpr int64_t columnsPerIteration = 64;

bool isNarrow(const Loops &loops) {
  int64_t parallel = loops.kind == FormKind::Rows ? loops.outer : loops.inner / columnsPerIteration;
  return parallel < 4 && loops.full() > maxNarrowReductionSize;
}

/// Returns the common loops of two groups: the loops of their reductions, which must agree.
static std::optional<Loops> unite(const Loops &a, const Loops &b) {
  if (a.kind != FormKind::Map && b.kind == FormKind::Map)
    return unite(b, a);
  if (b.kind == FormKind::Map)
    return a.full() == b.full() ? std::optional(a) : std::nullopt;
  bool isReduction = b.kind == FormKind::Rows || b.kind == FormKind::Columns;
  if (!isReduction)
    return std::nullopt;
  if (a.kind == FormKind::Map) {
    if (a.full() == b.full())
      return isNarrow(b) ? std::nullopt : std::optional(b);
    return a.full() == b.reduced() ? std::optional(b) : std::nullopt;
  }
  bool same = a.kind == b.kind && a.outer == b.outer && a.inner == b.inner;
  return same ? std::optional(a) : std::nullopt;
}

void joinProducers(Groups &groups, func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    if (!groups.of(&op))
      continue;
    SmallVector<Operation *> producers;
    analysis::forEachSource(&op, [&](Value source, ArrayRef<Operation *>) {
      if (Operation *producer = source.getDefiningOp())
        producers.push_back(producer);
    });
    for (Operation *producer : producers) {
      Group *own = groups.of(&op), *other = groups.of(producer);
      if (!other || own == other)
        continue;
      if (std::optional<Loops> loops = unite(other->loops, own->loops))
        groups.join(other, own, *loops);
    }
  }
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

static LogicalResult joinAnnotatedMatmuls(Groups &groups, func::FuncOp function) {
  DenseMap<Attribute, Operation *> matmuls;
  for (Operation &op : function.getBody().front()) {
    Attribute annotation = op.getAttr(task::matmulGroupAttrName);
    Group *own = groups.of(&op);
    if (!annotation || !own) // an op without readers has no group
      continue;
    Operation *matmul = matmuls.try_emplace(annotation, &op).first->second;
    Group *group = groups.of(matmul);
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
static bool isComplete(const Group &group, Operation *attention) {
  size_t transposes = isa<AttentionOp>(attention) ? 4 : 8;
  return group.ops.size() == 1 || group.ops.size() == 1 + transposes;
}

/// Joins attentions with the transposes of their operands and results.
static LogicalResult joinAnnotatedAttentions(Groups &groups, func::FuncOp function) {
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
    Group *own = groups.of(&op);
    if (!annotation || !own)
      continue;
    Operation *attention = attentions.lookup(annotation);
    Group *group = attention ? groups.of(attention) : nullptr;
    if (!group || !fitsAttention(&op, attention) ||
        (own != group && !groups.join(group, own, group->loops)))
      return fail(&op);
  }
  for (auto [annotation, attention] : attentions)
    if (Group *group = groups.of(attention); group && !isComplete(*group, attention))
      return fail(attention);
  return success();
}

LogicalResult joinAnnotated(Groups &groups, func::FuncOp function) {
  return success(succeeded(joinAnnotatedMatmuls(groups, function)) &&
                 succeeded(joinAnnotatedAttentions(groups, function)));
}

void joinEpilogues(Groups &groups, func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    Group *group = groups.of(&op);
    bool isMatmul = group && isa<MatmulOp>(op) && group->loops.kind == FormKind::Matmul &&
                    !op.hasAttr(task::matmulGroupAttrName);
    if (!isMatmul && !(group && isa<Conv2dOp>(op)))
      continue;
    Value result = op.getResult(0);
    int64_t biasDim = isMatmul ? cast<RankedTensorType>(result.getType()).getRank() - 1 : 1;
    auto add = dyn_cast_or_null<AddOp>(analysis::onlyReader(result));
    if (add && analysis::isBias(add.getLhs() == result ? add.getRhs() : add.getLhs(), biasDim) &&
        groups.join(group, groups.of(add), group->loops))
      result = add.getResult();
    if (auto relu = dyn_cast_or_null<ReluOp>(analysis::onlyReader(result)))
      groups.join(group, groups.of(relu), group->loops);
  }
}

} // namespace pcc::fusion
