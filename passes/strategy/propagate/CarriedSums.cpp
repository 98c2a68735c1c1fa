// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass in program order. Each partial value has the number of sums that it joins and the ops
// that carried it beside a complete value. If a single sum is completed, these ops are unjoined.
#include "passes/strategy/propagate/OpSharding.h"

using namespace mlir;

namespace pcc::strategy {

void CarriedSums::visitUse(Value value, bool isPartial) {
  auto found = sums.find(value);
  if (isPartial || found == sums.end() || found->second.joined > 1)
    return;
  unjoined.insert(found->second.ops.begin(), found->second.ops.end());
}

void CarriedSums::visitOp(Operation *op, const OpSharding &sharding,
                          function_ref<bool(Value)> isPartial) {
  Sum sum;
  sum.joined = 0;
  bool entersOnce = false;
  for (auto [operand, wanted] : llvm::zip_equal(op->getOperands(), sharding.operands)) {
    if (!wanted.isPartial())
      continue;
    if (!isPartial(operand)) {
      entersOnce = true;
      continue;
    }
    const Sum &carried = sums[operand];
    sum.joined += carried.joined;
    sum.ops.append(carried.ops);
  }
  bool isCarried = sum.joined > 0;
  if (isCarried && (entersOnce || !sum.ops.empty()))
    sum.ops.push_back(op);
  for (auto [result, made] : llvm::zip_equal(op->getResults(), sharding.results))
    if (made.isPartial())
      sums[result] = isCarried ? sum : Sum();
}

} // namespace pcc::strategy
