// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/cost/LiveBytes.h"

#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace pcc::analysis {

/// Returns the number of the last op that reads `value`; past the end for returned values.
static int64_t findLastReader(Value value, const DenseMap<Operation *, int64_t> &numbers) {
  int64_t last = -1;
  forEachReader(value, [&](Operation *reader) {
    auto number = numbers.find(reader);
    last = std::max(last, number == numbers.end() ? int64_t(numbers.size()) : number->second);
  });
  return last;
}

int64_t countLiveBytes(func::FuncOp function, const KernelShares &shares,
                       function_ref<int64_t(Value)> bytesOf) {
  DenseMap<Operation *, int64_t> numbers;
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator())
    numbers.try_emplace(&op, numbers.size());
  // Bytes freed after each op.
  std::vector<int64_t> freed(numbers.size() + 1);
  int64_t live = 0, peak = 0;
  for (Operation &op : block.without_terminator()) {
    const KernelShare &share = shares.of(&op);
    for (int result : share.writes.set_bits()) {
      int64_t last = findLastReader(op.getResult(result), numbers);
      if (last == int64_t(numbers.size()))
        continue;
      int64_t bytes = bytesOf(op.getResult(result));
      live += bytes;
      freed[std::max(last, numbers.lookup(&op))] += bytes;
    }
    peak = std::max(peak, live);
    live -= freed[numbers.lookup(&op)];
  }
  return peak;
}

} // namespace pcc::analysis
