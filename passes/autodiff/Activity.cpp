// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/Activity.h"

#include "passes/autodiff/Derivatives.h"

using namespace mlir;

namespace pcc::autodiff {

static const Derivative *derivativeOf(Operation &op) {
  return getDerivativeTable().lookup(op.getName().getStringRef());
}

/// An op of unknown derivative counts as one that passes gradients, so that it is reported.
static bool passesGradients(Operation &op) {
  const Derivative *derivative = derivativeOf(op);
  return !derivative || derivative->kind != Derivative::Kind::Zero;
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

Activity::Activity(Block &block, ArrayRef<Value> sources, Value loss)
    : varying(sources.begin(), sources.end()), needed({loss}) {
  findVarying(block);
  findNeeded(block);
}

void Activity::findVarying(Block &block) {
  auto varies = [&](Value value) { return varying.contains(value); };
  for (Operation &op : block) {
    if (!passesGradients(op) || llvm::none_of(op.getOperands(), varies))
      continue;
    for (Value result : op.getResults())
      if (isFloat(result))
        varying.insert(result);
  }
}

void Activity::findNeeded(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (!passesGradients(op) ||
        llvm::none_of(op.getResults(), [&](Value v) { return isActive(v); }))
      continue;
    needed.insert_range(op.getOperands());
    const Derivative *derivative = derivativeOf(op);
    if (!derivative || derivative->kind == Derivative::Kind::None)
      missing.push_back(&op);
  }
  std::reverse(missing.begin(), missing.end());
}

} // namespace pcc::autodiff
