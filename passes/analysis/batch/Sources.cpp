// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows operands back to the arguments.
#include "passes/analysis/batch/Sources.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace pcc::analysis {

llvm::SmallSetVector<BlockArgument, 8> findSources(Value value) {
  llvm::SmallSetVector<BlockArgument, 8> sources;
  llvm::SmallSetVector<Value, 32> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    if (Operation *op = reached[i].getDefiningOp())
      reached.insert(op->operand_begin(), op->operand_end());
    else
      sources.insert(cast<BlockArgument>(reached[i]));
  return sources;
}

} // namespace pcc::analysis
