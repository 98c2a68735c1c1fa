// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/Epilogues.h"

#include "passes/facts/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::facts {

bool liesInMemory(Value value) {
  Operation *source = viewRoot(value).getDefiningOp();
  return !source || !isRecomputed(source);
}

bool isBias(Value value, int64_t dim) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast || !isRecomputed(broadcast))
    return false;
  ArrayRef<int64_t> input = broadcast.getInput().getType().getShape();
  ArrayRef<int64_t> result = broadcast.getResult().getType().getShape();
  if (!liesInMemory(broadcast.getInput()) ||
      broadcast.getInput().getType().getNumElements() != result[dim])
    return false;
  auto position = llvm::find(broadcast.getDims(), dim);
  return position != broadcast.getDims().end() &&
         input[position - broadcast.getDims().begin()] == result[dim];
}

Operation *onlyReader(Value value) {
  return value.hasOneUse() ? *value.getUsers().begin() : nullptr;
}

} // namespace pcc::facts
