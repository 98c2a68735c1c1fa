// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins groups, and orders them. A join is refused if a path of dependences leaves one group and
// enters the other through a third: the kernels would form a cycle. Order is Kahn's topological
// sort with a priority queue, which starts communication first.
#include "passes/analysis/kernels/KernelGroups.h"

#include "passes/analysis/kernels/Kernels.h"

#include <queue>

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::analysis {

/// Returns the dead ops: those without effects that only dead ops read.
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

KernelGroups::KernelGroups(func::FuncOp function, FenceOf fenceOf) {
  DenseSet<Operation *> unused = findUnused(function.getBody().front());
  KernelGroup *lastEffect = nullptr;
  for (Operation &op : function.getBody().front()) {
    if (op.hasTrait<OpTrait::IsTerminator>() || isRecomputed(&op) || unused.contains(&op))
      continue;
    if (op.hasTrait<OpTrait::ConstantLike>() && !getKernelNumber(&op))
      continue; // is a constant in memory
    groups.push_back({loopsOf(&op), {&op}, fenceOf(&op)});
    groupOf[&op] = &groups.back();
    if (isMemoryEffectFree(&op))
      continue;
    if (lastEffect)
      nextEffect[lastEffect] = &groups.back();
    lastEffect = &groups.back();
  }
  for (const KernelGroup &group : groups)
    for (Operation *op : group.ops)
      for (Value result : op->getResults())
        forEachReader(result, [&](Operation *reader) {
          if (of(reader))
            readers[op].push_back(reader);
        });
}

/// Maximum number of groups that are visited in search of a path. Beyond it a join is refused,
/// which is safe and rare: most ops that lie so far apart depend on each other through others.
static constexpr unsigned maxVisited = 1000;

/// Returns true if a value of `from` reaches `to` through at least one other group. Assumes so if
/// there are too many groups between them.
bool KernelGroups::dependsThroughOthers(KernelGroup *from, KernelGroup *to) const {
  Operation *last = to->ops.back();
  DenseSet<KernelGroup *> seen;
  SmallVector<KernelGroup *> work{from};
  while (!work.empty()) {
    if (seen.size() > maxVisited)
      return true;
    KernelGroup *group = work.pop_back_val();
    bool reached = false;
    auto follow = [&](KernelGroup *next) {
      if (!next || next == group || next == from)
        return;
      if (next == to)
        reached |= group != from;
      else if (next->ops.front()->isBeforeInBlock(last) && seen.insert(next).second)
        work.push_back(next);
    };
    for (Operation *op : group->ops)
      if (auto found = readers.find(op); found != readers.end())
        for (Operation *reader : found->second)
          follow(of(reader));
    follow(nextEffect.lookup(group));
    if (reached)
      return true;
  }
  return false;
}

bool KernelGroups::join(KernelGroup *a, KernelGroup *b, const KernelLoops &loops) {
  if (a->fence != b->fence)
    return false;
  if (!isSpecialKernel(loops) && a->ops.size() + b->ops.size() > maxKernelOps)
    return false;
  SmallVector<Operation *> all(a->ops.begin(), a->ops.end());
  all.append(b->ops.begin(), b->ops.end());
  llvm::sort(all, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  if (!isSpecialKernel(loops) && !fits(all, loops))
    return false;
  if (dependsThroughOthers(a, b) || dependsThroughOthers(b, a))
    return false;
  for (Operation *op : b->ops)
    groupOf[op] = a;
  a->ops.assign(all.begin(), all.end());
  a->loops = loops;
  b->ops.clear();
  return true;
}

SmallVector<KernelGroup *> KernelGroups::order() const {
  DenseMap<KernelGroup *, DenseSet<KernelGroup *>> followers;
  DenseMap<KernelGroup *, int64_t> missing;
  auto addBefore = [&](KernelGroup *first, KernelGroup *then) {
    if (first && then && first != then && followers[first].insert(then).second)
      ++missing[then];
  };
  for (const KernelGroup &group : groups) {
    auto *self = const_cast<KernelGroup *>(&group);
    for (Operation *op : group.ops)
      forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
        Operation *producer = source.getDefiningOp();
        addBefore(producer ? of(producer) : nullptr, self);
      });
    addBefore(self, nextEffect.lookup(self));
  }
  // Among the ready groups, collectives and messages come first. The remaining groups follow in the
  // program order of their first ops. Their last ops may be far behind: the cast of a gradient that
  // is returned, in a kernel whose other result the next layer needs.
  auto later = [](KernelGroup *a, KernelGroup *b) {
    bool aSends = a->loops.kind == FormKind::Collective;
    bool bSends = b->loops.kind == FormKind::Collective;
    if (aSends != bSends)
      return bSends;
    return b->ops.front()->isBeforeInBlock(a->ops.front());
  };
  std::priority_queue<KernelGroup *, std::vector<KernelGroup *>, decltype(later)> ready(later);
  for (const KernelGroup &group : groups)
    if (!group.ops.empty() && missing.lookup(const_cast<KernelGroup *>(&group)) == 0)
      ready.push(const_cast<KernelGroup *>(&group));
  SmallVector<KernelGroup *> order;
  while (!ready.empty()) {
    KernelGroup *group = ready.top();
    ready.pop();
    order.push_back(group);
    for (KernelGroup *follower : followers[group])
      if (--missing[follower] == 0)
        ready.push(follower);
  }
  return order;
}

} // namespace pcc::analysis
