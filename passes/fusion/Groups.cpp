// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/Groups.h"

#include <queue>

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::fusion {

/// Whether the op runs as a library call or special kernel instead of a loop kernel.
static bool isLibraryCall(const Loops &loops) {
  return loops.kind == FormKind::Matmul || loops.kind == FormKind::Convolution ||
         loops.kind == FormKind::Attention || loops.kind == FormKind::Collective ||
         loops.kind == FormKind::Scatter;
}

/// Returns ops without an effect: ops that only such ops read, if anything.
static DenseSet<Operation *> findUnused(Block &block) {
  DenseSet<Operation *> unused;
  for (Operation &op : llvm::reverse(block)) {
    bool isRead =
        llvm::any_of(op.getUsers(), [&](Operation *user) { return !unused.contains(user); });
    if (!isRead && isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>())
      unused.insert(&op);
  }
  return unused;
}

Groups::Groups(func::FuncOp function) {
  DenseSet<Operation *> unused = findUnused(function.getBody().front());
  Group *lastEffect = nullptr;
  for (Operation &op : function.getBody().front()) {
    if (op.hasTrait<OpTrait::IsTerminator>() || analysis::isRecomputed(&op) || unused.contains(&op))
      continue;
    if (op.hasTrait<OpTrait::ConstantLike>() && !analysis::getKernelNumber(&op))
      continue; // lies in memory
    groups.push_back({loopsOf(&op), {&op}});
    groupOf[&op] = &groups.back();
    if (isMemoryEffectFree(&op))
      continue;
    if (lastEffect)
      nextEffect[lastEffect] = &groups.back();
    lastEffect = &groups.back();
  }
}

/// Whether a value of `from` reaches `to` through at least one other group.
bool Groups::dependsThroughOthers(Group *from, Group *to) const {
  Operation *last = to->ops.back();
  DenseSet<Group *> seen;
  SmallVector<Group *> work{from};
  while (!work.empty()) {
    Group *group = work.pop_back_val();
    bool reached = false;
    auto follow = [&](Group *next) {
      if (!next || next == group || next == from)
        return;
      if (next == to)
        reached |= group != from;
      else if (next->ops.front()->isBeforeInBlock(last) && seen.insert(next).second)
        work.push_back(next);
    };
    for (Operation *op : group->ops)
      for (Value result : op->getResults())
        analysis::forEachReader(result, [&](Operation *reader) { follow(of(reader)); });
    follow(nextEffect.lookup(group));
    if (reached)
      return true;
  }
  return false;
}

bool Groups::join(Group *a, Group *b, const Loops &loops) {
  SmallVector<Operation *> all(a->ops.begin(), a->ops.end());
  all.append(b->ops.begin(), b->ops.end());
  llvm::sort(all, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  if (!isLibraryCall(loops) && !fits(all, loops))
    return false;
  if (dependsThroughOthers(a, b) || dependsThroughOthers(b, a))
    return false;
  for (Operation *op : b->ops)
    groupOf[op] = a;
  a->ops.assign(all.begin(), all.end());
  a->loops = loops;
  groups.remove_if([&](const Group &group) { return &group == b; });
  return true;
}

SmallVector<Group *> Groups::order() const {
  DenseMap<Group *, DenseSet<Group *>> readers;
  DenseMap<Group *, int64_t> missing;
  auto addBefore = [&](Group *first, Group *then) {
    if (first && then && first != then && readers[first].insert(then).second)
      ++missing[then];
  };
  for (const Group &group : groups) {
    auto *self = const_cast<Group *>(&group);
    for (Operation *op : group.ops)
      analysis::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
        Operation *producer = source.getDefiningOp();
        addBefore(producer ? of(producer) : nullptr, self);
      });
    addBefore(self, nextEffect.lookup(self));
  }
  // Among the ready groups, collectives and messages come first. The remaining groups follow in the
  // program order of their last ops.
  auto later = [](Group *a, Group *b) {
    bool aSends = a->loops.kind == FormKind::Collective;
    bool bSends = b->loops.kind == FormKind::Collective;
    if (aSends != bSends)
      return bSends;
    return b->ops.back()->isBeforeInBlock(a->ops.back());
  };
  std::priority_queue<Group *, std::vector<Group *>, decltype(later)> ready(later);
  for (const Group &group : groups)
    if (missing.lookup(const_cast<Group *>(&group)) == 0)
      ready.push(const_cast<Group *>(&group));
  SmallVector<Group *> order;
  while (!ready.empty()) {
    Group *group = ready.top();
    ready.pop();
    order.push_back(group);
    for (Group *reader : readers[group])
      if (--missing[reader] == 0)
        ready.push(reader);
  }
  return order;
}

} // namespace pcc::fusion
