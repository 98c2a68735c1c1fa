// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/order/StepTimes.h"

using namespace mlir;

namespace pcc::schedule {

StepTimes::StepTimes(ModuleOp module, StepKernels &kernels, const abi::Cluster &cluster) {
  for (analysis::Section &section : kernels.getSections()) {
    Known &entry = sections[section.function.getName()];
    entry.tasks =
        KernelStreams(section, /*unfinished=*/{}, kernels.orderOf(section), cluster).getProblem();
    entry.times = streams::runInOrder(entry.tasks, streams::givenOrder(entry.tasks));
  }
  double now = 0;
  for (auto action : analysis::getStep(module).getBody().front().getOps<pipe::ActionOp>()) {
    Known &entry = sections.find(action.getSection())->second;
    entry.begin = now;
    now += entry.times.finish;
  }
}

double StepTimes::endOf(StringRef section, int64_t kernel) const {
  const Known &entry = known(section);
  return entry.begin + entry.times.begin[kernel] + entry.tasks.tasks[kernel].seconds;
}

double StepTimes::at(const StepPoint &point) const {
  if (point.action < 0)
    return 0;
  return point.behind < 0 ? beginOf(point.section) : endOf(point.section, point.behind);
}

} // namespace pcc::schedule
