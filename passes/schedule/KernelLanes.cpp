// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/KernelLanes.h"

#include "passes/facts/CollectivePrice.h"
#include "passes/facts/Cost.h"
#include "passes/facts/OpPrice.h"

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::schedule {

static constexpr int collectiveLane = 1, messageLane = 2;

/// Messages from rank to rank, and what else ranks wait for one another at that are no collectives.
static bool isMessage(const facts::Kernel &kernel) {
  return kernel.form.getKind() == FormKind::Collective &&
         !isa<dist::CollectiveOpInterface>(kernel.ops.front());
}

static int laneOf(const facts::Kernel &kernel) {
  if (kernel.form.getKind() != FormKind::Collective)
    return lanes::computeLane;
  return isMessage(kernel) ? messageLane : collectiveLane;
}

KernelLanes::KernelLanes(facts::Section &section, ArrayRef<facts::Kernel> kernels,
                         const abi::Cluster &cluster)
    : cluster(cluster), mesh(dist::getMesh(section.function)), shares(section.function) {
  for (const facts::Kernel &kernel : kernels)
    addTask(kernel);
  orderSums(section);
}

void KernelLanes::addTask(const facts::Kernel &kernel) {
  problem.tasks.push_back({laneOf(kernel), secondsOf(kernel), {}, ""});
  for (Value input : kernel.inputs)
    if (Operation *producer = facts::viewRoot(input).getDefiningOp())
      if (std::optional<int64_t> before = facts::getKernelNumber(producer))
        addAfter(kernel.number, *before);
  if (!isMessage(kernel))
    return;
  if (lastMessage)
    addAfter(kernel.number, *lastMessage);
  lastMessage = kernel.number;
}

void KernelLanes::addAfter(int64_t kernel, int64_t before) {
  std::vector<int> &after = problem.tasks[kernel].after;
  if (kernel != before && !llvm::is_contained(after, int(before)))
    after.push_back(int(before));
}

/// Terms of one sum are added in the order of the results, so that sums have the same bits whatever
/// the order of other work.
void KernelLanes::orderSums(facts::Section &section) {
  for (const auto &[role, results] : section.results)
    for (auto [before, result] : llvm::zip(results, ArrayRef(results).drop_front())) {
      auto kernelOf = [&](unsigned index) -> std::optional<int64_t> {
        Operation *op = facts::viewRoot(section.getReturned()[index]).getDefiningOp();
        return op ? facts::getKernelNumber(op) : std::nullopt;
      };
      std::optional<int64_t> first = kernelOf(before), second = kernelOf(result);
      if (section.isAccumulated(result) && first && second && *first < *second)
        addAfter(*second, *first);
    }
}

double KernelLanes::secondsOfCollective(const facts::Kernel &kernel) const {
  Operation *op = kernel.ops.front();
  if (auto send = dyn_cast<pipe::SendOp>(op))
    return facts::secondsOfMessage(double(facts::getNumBytes(send.getInput().getType())),
                                   mesh.getNumRanks(), cluster);
  if (isa<pipe::RecvOp>(op)) // how long it takes is its sender's affair
    return 0;
  return facts::secondsOfCollective(op, mesh, cluster);
}

/// A kernel takes what its ops take with what they still have to move (facts::KernelShares).
double KernelLanes::secondsOf(const facts::Kernel &kernel) const {
  if (kernel.form.getKind() == FormKind::Collective)
    return secondsOfCollective(kernel);
  double seconds = 0;
  for (Operation *op : kernel.ops)
    seconds += facts::OpPrice(op, cluster.device(), shares.of(op)).seconds(facts::OpShapes::of(op));
  return seconds;
}

} // namespace pcc::schedule
