// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/Propagation.h"

#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/IR/Remarks.h"
#include "passes/facts/Cost.h"
#include "passes/facts/ReshardPlan.h"
#include "passes/facts/Shardings.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;

namespace pcc::strategy {

void Propagation::seed(BlockArgument argument, const Sharding &sharding) {
  values[argument] = facts::dropTrivialAxes(sharding, mesh);
}

Sharding Propagation::getSharding(Value value) const {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return Sharding::replicated(type ? type.getRank() : 0);
}

void Propagation::goForwards() {
  for (Operation &op : function.getBody().front()) {
    if (!isa<FactorRuleOpInterface>(op))
      continue;
    std::vector<Sharding> operands;
    for (Value operand : op.getOperands())
      operands.push_back(getSharding(operand));
    OpSharding &sharding = ops[&op] = shardByOperands(&op, operands, mesh);
    for (auto [result, cut] : llvm::zip_equal(op.getResults(), sharding.results))
      values[result] = cut;
  }
}

bool Propagation::isWhole(Operation *op) const {
  auto isReplicated = [&](Value value) { return getSharding(value).isReplicated(); };
  return llvm::all_of(op->getOperands(), isReplicated) &&
         llvm::all_of(op->getResults(), isReplicated);
}

std::optional<Sharding> Propagation::findCommonWish(Value value) const {
  std::optional<Sharding> wish;
  for (OpOperand &use : value.getUses()) {
    auto user = ops.find(use.getOwner());
    if (user == ops.end())
      return std::nullopt;
    const Sharding &wanted = user->second.operands[use.getOperandNumber()];
    if (wish && *wish != wanted)
      return std::nullopt;
    wish = wanted;
  }
  return wish;
}

void Propagation::goBackwards() {
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    if (!ops.contains(&op) || op.getNumResults() != 1 || !isWhole(&op))
      continue;
    std::optional<Sharding> wish = findCommonWish(op.getResult(0));
    if (!wish || !wish->isSplit())
      continue;
    OpSharding sharding = shardByResult(&op, *wish, mesh);
    if (sharding.results.front() != *wish)
      continue;
    values[op.getResult(0)] = *wish;
    ops[&op] = std::move(sharding);
  }
}

void Propagation::run() {
  goForwards();
  goBackwards();
}

/// Flops of one rank's part of `op`.
static int64_t getLocalFlops(Operation *op, const OpSharding &sharding, const dist::Mesh &mesh) {
  dist::AxisList axes;
  for (const Sharding &cut : llvm::concat<const Sharding>(sharding.operands, sharding.results))
    for (const std::string &axis : cut.getSplitAxes())
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  return facts::costOf(op).flops / mesh.getSize(axes);
}

void Propagation::annotate() {
  for (Operation &op : function.getBody().front()) {
    auto found = ops.find(&op);
    if (found == ops.end())
      continue;
    const OpSharding &sharding = found->second;
    facts::setShardings(&op, sharding.operands, sharding.results);
    std::string out;
    for (const Sharding &result : sharding.results)
      out += (out.empty() ? "" : ", ") + result.str();
    remark::passed(op.getLoc(), remark::RemarkOpts::name("propagate").category("strategy"))
        << remark::metric("out", out)
        << remark::metric("flops", getLocalFlops(&op, sharding, mesh));
  }
}

} // namespace pcc::strategy
