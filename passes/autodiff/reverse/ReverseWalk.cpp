// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/reverse/ReverseWalk.h"

#include "dialects/dist/Dist.h"
#include "passes/autodiff/Names.h"
#include "passes/autodiff/derivatives/Derivatives.h"
#include "passes/autodiff/reverse/Activity.h"

using namespace mlir;

namespace pcc::autodiff {

ReverseWalk::ReverseWalk(Block &block, const Activity &activity)
    : activity(activity), builder(block.getTerminator()) {
  for (Operation &op : block.without_terminator())
    forwardOps.push_back(&op);
}

Value ReverseWalk::gradientOf(Value value) {
  auto found = contributions.find(value);
  if (found == contributions.end())
    return {};
  SmallVector<Value, 1> &parts = found->second;
  for (Value part : llvm::drop_begin(parts))
    parts[0] = graph::AddOp::create(builder, derivedLocation(value, "grad_sum"), parts[0], part);
  parts.truncate(1);
  return parts[0];
}

void ReverseWalk::visit(Operation *op) {
  if (!activity.isActive(op))
    return;
  auto gradients = llvm::map_to_vector(op->getResults(), [&](Value r) { return gradientOf(r); });
  auto wanted = llvm::map_to_vector(op->getOperands(),
                                    [&](Value operand) { return activity.isActive(operand); });
  // A transfer sends or receives on every rank, even if no gradient has arrived.
  bool isTransfer = isa<dist::SendOp, dist::RecvOp>(op);
  if (!isTransfer && (llvm::none_of(gradients, [](Value v) { return bool(v); }) ||
                      !llvm::is_contained(wanted, true)))
    return;
  Backward backward(builder, op, gradients, wanted);
  getDerivativeTable().lookup(op->getName().getStringRef())->rule(backward);
  for (auto [operand, want, given] : llvm::zip(op->getOperands(), wanted, backward.given()))
    if (want && given)
      contributions[operand].push_back(given);
}

void ReverseWalk::run(Value loss) {
  auto type = cast<RankedTensorType>(loss.getType());
  contributions[loss].push_back(
      graph::ConstantOp::create(builder, derivedLocation(loss, "grad"), type, 1.0));
  for (Operation *op : llvm::reverse(forwardOps))
    visit(op);
}

} // namespace pcc::autodiff
