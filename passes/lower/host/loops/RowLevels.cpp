// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the level of each value in one walk in program order.
#include "passes/lower/host/loops/RowLevels.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

bool isRowReduction(Operation *op, task::FormAttr form) {
  if (!isa<ReduceOp>(op) || analysis::isView(op))
    return false;
  analysis::ReductionLoops loops = analysis::getReductionLoops(op);
  return loops.contiguous && loops.kind == task::FormKind::Rows && loops.outer == form.getOuter() &&
         loops.inner == form.getInner();
}

SmallVector<RowLevel> findRowLevels(const KernelBody &kernel) {
  SmallVector<RowLevel> levels;
  auto level = [&](unsigned number) -> RowLevel & {
    if (levels.size() <= number)
      levels.resize(number + 1);
    return levels[number];
  };
  llvm::DenseMap<Value, unsigned> depth;
  for (Operation &op : kernel.function->getRegion(0).front().without_terminator()) {
    unsigned deepest = 0;
    for (Value operand : op.getOperands())
      deepest = std::max(deepest, depth.lookup(operand));
    if (isRowReduction(&op, kernel.form))
      level(deepest++).reductions.push_back(&op);
    for (Value result : op.getResults())
      depth[result] = deepest;
  }
  int64_t count = kernel.form.getOuter() * kernel.form.getInner();
  for (auto [n, result] : llvm::enumerate(kernel.results))
    if (countOf(result) == count)
      level(depth.lookup(result)).results.push_back(n);
  return levels;
}

} // namespace pcc::lower
