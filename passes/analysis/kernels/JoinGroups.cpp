// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which groups are worth joining: a matmul or convolution with its bias and ReLU;
// elementwise ops, reductions and index maps with the producers of their operands.
#include "passes/analysis/kernels/KernelGroups.h"

#include "dialects/graph/Graph.h"
#include "dialects/task/EpilogueAttrs.h"
#include "passes/analysis/kernels/Epilogues.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::analysis {

/// Joins a matmul or a convolution with the bias and the ReLU that follow it.
static void joinEpilogues(KernelGroups &groups, func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    KernelGroup *group = groups.of(&op);
    bool isMatmul = group && isa<MatmulOp>(op) && group->loops.kind == FormKind::Matmul &&
                    !op.hasAttr(task::matmulGroupAttrName);
    if (!isMatmul && !(group && isa<Conv2dOp>(op)))
      continue;
    Value result = op.getResult(0);
    int64_t biasDim = isMatmul ? cast<RankedTensorType>(result.getType()).getRank() - 1 : 1;
    auto add = dyn_cast_or_null<AddOp>(onlyReader(result));
    if (add && isBias(add.getLhs() == result ? add.getRhs() : add.getLhs(), biasDim) &&
        groups.join(group, groups.of(add), group->loops))
      result = add.getResult();
    if (auto relu = dyn_cast_or_null<ReluOp>(onlyReader(result)))
      groups.join(group, groups.of(relu), group->loops);
  }
}

/// Joins elementwise ops, reductions and index maps with the producers of their operands.
static void joinProducers(KernelGroups &groups, func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    if (!groups.of(&op))
      continue;
    SmallVector<Operation *> producers;
    forEachSource(&op, [&](Value source, ArrayRef<Operation *>) {
      if (Operation *producer = source.getDefiningOp())
        producers.push_back(producer);
    });
    for (Operation *producer : producers) {
      KernelGroup *own = groups.of(&op), *other = groups.of(producer);
      if (!other || own == other)
        continue;
      if (std::optional<KernelLoops> loops = unite(other->loops, own->loops))
        groups.join(other, own, *loops);
    }
  }
}

void joinGroups(KernelGroups &groups, func::FuncOp function) {
  joinEpilogues(groups, function);
  joinProducers(groups, function);
}

DenseMap<Operation *, int64_t> numberKernels(func::FuncOp function, FenceOf fenceOf) {
  DenseMap<Operation *, int64_t> numbers;
  if (function->hasAttr(formsAttrName)) {
    for (Operation &op : function.getBody().front())
      if (std::optional<int64_t> number = getKernelNumber(&op))
        numbers[&op] = *number;
    return numbers;
  }
  KernelGroups groups(function, fenceOf);
  joinGroups(groups, function);
  DenseMap<KernelGroup *, int64_t> byGroup;
  for (Operation &op : function.getBody().front())
    if (KernelGroup *group = groups.of(&op))
      numbers[&op] = byGroup.try_emplace(group, byGroup.size()).first->second;
  return numbers;
}

} // namespace pcc::analysis
