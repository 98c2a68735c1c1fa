// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds tasks in the given order, so that dependences point backward. There are three streams: one
// for kernels, one for collectives and one for messages.
#include "passes/schedule/order/KernelStreams.h"

#include "passes/schedule/order/SendDependencies.h"

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::schedule {

static constexpr int collectiveStream = 1, messageStream = 2;

/// Whether the kernel is a message between ranks, or another rendezvous of ranks that is no
/// collective.
static bool isMessage(const analysis::Kernel &kernel) {
  return kernel.form.getKind() == FormKind::Collective &&
         !isa<dist::CollectiveOpInterface>(kernel.ops.front());
}

static int streamOf(const analysis::Kernel &kernel) {
  if (kernel.form.getKind() != FormKind::Collective)
    return streams::computeStream;
  return isMessage(kernel) ? messageStream : collectiveStream;
}

KernelStreams::KernelStreams(analysis::Section &section, ArrayRef<Unfinished> unfinished,
                             ArrayRef<StepKernel> order, KernelTimes &times)
    : section(section) {
  problem.runs = std::max(int(section.runs), 1);
  for (const Unfinished &before : unfinished)
    addUnfinished(before);
  for (StepKernel kernel : order)
    addTask(kernel, times.seconds(kernel.section->function, *kernel.kernel));
  orderSums();
  keepAfterSendDependencies();
}

void KernelStreams::addUnfinished(const Unfinished &before) {
  int task = int(kernels.size());
  problem.tasks.push_back({streamOf(*before.kernel.kernel), before.seconds, {}, "", false, false});
  kernels.push_back({});
  for (Operation *op : before.kernel.kernel->ops)
    taskOf[op] = task;
  if (task > 0)
    addAfter(task, task - 1);
}

void KernelStreams::addTask(StepKernel kernel, double seconds) {
  int task = int(kernels.size());
  bool isLastRunOnly = kernel.section != &section && section.runs > 1;
  bool isSend = isa<pipe::SendOp>(kernel.kernel->ops.front());
  problem.tasks.push_back({streamOf(*kernel.kernel), seconds, {}, "", isLastRunOnly, isSend});
  kernels.push_back(kernel);
  for (Operation *op : kernel.kernel->ops)
    taskOf[op] = task;
  addAfterReads(task);
  if (!isMessage(*kernel.kernel))
    return;
  if (lastMessage)
    addAfter(task, *lastMessage);
  lastMessage = task;
}

void KernelStreams::addAfterReads(int task) {
  for (Value input : kernels[task].kernel->inputs) {
    Value root = analysis::viewRoot(input);
    if (Operation *producer = root.getDefiningOp())
      addAfterOp(task, producer);
    else if (kernels[task].section != &section)
      addAfterGradient(task, cast<BlockArgument>(root));
  }
}

void KernelStreams::addAfterGradient(int task, BlockArgument argument) {
  graph::RoleAttr role = kernels[task].section->getArgumentRole(argument.getArgNumber());
  for (unsigned result : section.results.lookup(role)) {
    Value root = analysis::viewRoot(section.getReturned()[result]);
    addAfterOp(task, root.getDefiningOp());
    if (!section.isAccumulated(result))
      analysis::forEachReader(root, [&](Operation *reader) { addAfterOp(task, reader); });
  }
}

void KernelStreams::addAfterOp(int task, Operation *op) {
  if (auto before = taskOf.find(op); before != taskOf.end())
    addAfter(task, before->second);
}

void KernelStreams::addAfter(int task, int before) {
  std::vector<int> &after = problem.tasks[task].after;
  if (task != before && !llvm::is_contained(after, before))
    after.push_back(before);
}

/// Adds dependences so that terms of one sum are added in the order of the results. So sums are
/// bitwise equal whatever the order of other work.
void KernelStreams::orderSums() {
  auto taskOfResult = [&](unsigned index) {
    auto task = taskOf.find(analysis::viewRoot(section.getReturned()[index]).getDefiningOp());
    return task == taskOf.end() ? -1 : task->second;
  };
  for (const auto &[role, results] : section.results)
    for (auto [before, result] : llvm::zip(results, ArrayRef(results).drop_front()))
      if (int first = taskOfResult(before), second = taskOfResult(result);
          section.isAccumulated(result) && first >= 0 && first < second)
        addAfter(second, first);
}

/// Keeps hoisted kernels after the collectives that a send needs and that they already followed,
/// because other stages wait for the sends.
void KernelStreams::keepAfterSendDependencies() {
  auto list = llvm::map_to_vector(kernels, [](const StepKernel &kernel) { return kernel.kernel; });
  llvm::SmallBitVector isNeeded = findSendDependencies(list);
  SmallVector<int> needed;
  for (auto [task, kernel] : llvm::enumerate(kernels)) {
    if (isNeeded[task])
      needed.push_back(int(task));
    else if (kernel.kernel && kernel.section != &section)
      for (int before : needed)
        addAfter(int(task), before);
  }
}

} // namespace pcc::schedule
