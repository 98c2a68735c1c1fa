// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates the section's order once, and searches the start times of its computing kernels for the
// end of each collective.
#include "passes/schedule/order/KernelStreams.h"

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::schedule {

bool mayReorder(ArrayRef<StepKernel> kernels, ArrayRef<Unfinished> unfinished) {
  auto isCollective = [](StepKernel entry) {
    return entry.kernel->form.getKind() == FormKind::Collective;
  };
  auto isBarrier = [](StepKernel entry) { return isa<dist::BarrierOp>(entry.kernel->ops.front()); };
  return (!unfinished.empty() || llvm::any_of(kernels, isCollective)) &&
         llvm::none_of(kernels, isBarrier);
}

/// Returns the roles of accumulated results that must be added right behind their kernels.
static llvm::SmallDenseSet<Attribute> findUrgentSums(analysis::Section &section,
                                                     ArrayRef<StepKernel> order) {
  llvm::SmallDenseSet<Attribute> urgent;
  for (const auto &[role, results] : section.results)
    if (results.size() > 1)
      urgent.insert(role);
  for (StepKernel entry : order)
    if (entry.section != &section)
      for (Value input : entry.kernel->inputs)
        if (auto argument = dyn_cast<BlockArgument>(analysis::viewRoot(input)))
          urgent.insert(entry.section->getArgumentRole(argument.getArgNumber()));
  return urgent;
}

/// Returns whether other kernels of the section, or urgent additions, wait for a result of `op`.
static bool isAwaited(analysis::Section &section, Operation *op,
                      const llvm::SmallDenseSet<Attribute> &urgent) {
  bool found = false;
  for (Value output : op->getResults())
    analysis::forEachReader(
        output, [&](Operation *reader) { found |= analysis::getKernelNumber(reader).has_value(); });
  for (auto [index, value] : llvm::enumerate(section.getReturned()))
    found |= section.isAccumulated(index) && analysis::viewRoot(value).getDefiningOp() == op &&
             urgent.contains(section.getResultRole(index));
  return found;
}

void annotateDone(analysis::Section &section, ArrayRef<StepKernel> order,
                  ArrayRef<Unfinished> unfinished, KernelTimes &kernelTimes) {
  for (StepKernel entry : order)
    for (Operation *op : entry.kernel->ops)
      op->removeAttr(task::doneAttrName);
  if (!mayReorder(order, {}))
    return;
  KernelStreams streams(section, unfinished, order, kernelTimes);
  const streams::StreamProblem &problem = streams.getProblem();
  streams::StreamTimes times = streams::runInOrder(problem, streams::givenOrder(problem));
  llvm::SmallDenseSet<Attribute> urgent = findUrgentSums(section, order);
  SmallVector<int> computing, collectives;
  for (int task = 0; task < int(problem.tasks.size()); ++task) {
    StepKernel entry = streams.getKernel(task);
    if (entry.section != &section || entry.kernel->hoisted)
      continue;
    Operation *first = entry.kernel->ops.front();
    if (problem.tasks[task].stream == streams::computeStream)
      computing.push_back(task); // in the order of their times
    else if (isa<dist::CollectiveOpInterface>(first) &&
             llvm::none_of(entry.kernel->ops,
                           [&](Operation *op) { return isAwaited(section, op, urgent); }))
      collectives.push_back(task);
  }
  Builder b(section.function.getContext());
  int64_t numKernels = section.function->getAttrOfType<ArrayAttr>(task::formsAttrName).size();
  for (int task : collectives) {
    double end = times.begin[task] + problem.tasks[task].seconds;
    auto later = llvm::partition_point(
        computing, [&](int other) { return other < task || times.begin[other] < end; });
    int64_t number =
        later == computing.end()
            ? numKernels
            : *analysis::getKernelNumber(streams.getKernel(*later).kernel->ops.front());
    for (Operation *op : streams.getKernel(task).kernel->ops)
      op->setAttr(task::doneAttrName, b.getI64IntegerAttr(number));
  }
}

} // namespace pcc::schedule
