// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs two data-flow analyses to a fixpoint. One goes forward from the sources (varying values),
// the other backward from the loss (needed values). One walk each is enough unless a receive comes
// before the send of its tag.
#include "passes/autodiff/reverse/Activity.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/StopGradient.h"
#include "passes/autodiff/derivatives/Derivatives.h"

using namespace mlir;

namespace pcc::autodiff {

/// Returns whether gradients pass the op. An op without a row in the table counts as well, so that
/// it is reported.
static bool passesGradients(Operation &op) {
  if (op.hasAttr(graph::stopGradientAttrName))
    return false;
  const Derivative *derivative = getDerivativeTable().lookup(op.getName().getStringRef());
  return !derivative || derivative->kind != Derivative::Kind::Zero;
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

/// Returns the tag of a send or a receive of floats.
static std::optional<int64_t> floatTag(Operation *op) {
  if (auto send = dyn_cast<dist::SendOp>(op); send && isFloat(send.getInput()))
    return send.getTag();
  if (auto recv = dyn_cast<dist::RecvOp>(op); recv && isFloat(recv.getResult()))
    return recv.getTag();
  return std::nullopt;
}

/// Adds all of `values` to `set`; true if one was new.
template <typename Set, typename Range> static bool insertAll(Set &set, Range &&values) {
  size_t before = set.size();
  set.insert_range(values);
  return set.size() != before;
}

Activity::Activity(Block &block, ArrayRef<Value> sources, Value loss)
    : varying(sources.begin(), sources.end()), needed({loss}) {
  // One walk finds all values that follow along operands. Another walk is necessary only after a
  // transfer against the order of the program.
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op : block)
      changed |= findVarying(op);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op : llvm::reverse(block))
      changed |= findNeeded(op);
  }
  for (Operation &op : block) {
    const Derivative *derivative = getDerivativeTable().lookup(op.getName().getStringRef());
    if (isActive(&op) && (!derivative || !derivative->findObstacle(&op).empty()))
      missing.push_back(&op);
  }
}

bool Activity::isActive(Operation *op) const {
  if (std::optional<int64_t> tag = floatTag(op))
    return varyingTags.contains(*tag) && neededTags.contains(*tag);
  auto active = [&](Value value) { return isActive(value); };
  return passesGradients(*op) && llvm::any_of(op->getResults(), active);
}

/// Adds the values that vary through `op`; true if one is new.
bool Activity::findVarying(Operation &op) {
  std::optional<int64_t> tag = floatTag(&op);
  bool varies = llvm::any_of(op.getOperands(), [&](Value v) { return varying.contains(v); });
  if (tag && isa<dist::SendOp>(op))
    return varies && varyingTags.insert(*tag).second;
  if (tag)
    varies = varyingTags.contains(*tag);
  if (!varies || !passesGradients(op))
    return false;
  return insertAll(varying, llvm::make_filter_range(op.getResults(), isFloat));
}

/// Adds the values that the loss needs through `op`; true if one is new.
bool Activity::findNeeded(Operation &op) {
  std::optional<int64_t> tag = floatTag(&op);
  if (tag && isa<dist::RecvOp>(op))
    return isActive(op.getResult(0)) && neededTags.insert(*tag).second;
  return isActive(&op) && insertAll(needed, op.getOperands());
}

llvm::DenseSet<Value> findFloatSources(Block &block, Value loss) {
  llvm::DenseSet<Value> sources = {loss};
  for (Operation &op : llvm::reverse(block)) {
    auto isSource = [&](Value result) { return sources.contains(result); };
    bool isRead = isa<dist::SendOp>(op) || llvm::any_of(op.getResults(), isSource);
    if (isRead && !op.hasAttr(graph::stopGradientAttrName))
      sources.insert_range(llvm::make_filter_range(op.getOperands(), isFloat));
  }
  return sources;
}

} // namespace pcc::autodiff
