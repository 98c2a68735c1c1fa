// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums the roofline times of a kernel's ops. Transfers between stages cost their sender; a receive
// costs nothing.
#include "passes/schedule/order/KernelCostModel.h"

#include "dialects/pipe/Pipe.h"
#include "dialects/task/EpilogueAttrs.h"
#include "passes/analysis/cost/CollectiveCost.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/cost/OpCostModel.h"

using namespace mlir;

namespace pcc::schedule {

int64_t countDevices(ModuleOp module) {
  auto sends = [](func::FuncOp function) {
    return !function.getOps<pipe::SendOp>().empty() || !function.getOps<pipe::RecvOp>().empty();
  };
  int64_t ranks = dist::getMesh(module).getNumRanks();
  return llvm::any_of(module.getOps<func::FuncOp>(), sends) ? 2 * ranks : ranks;
}

double KernelCostModel::seconds(const analysis::Kernel &kernel) const {
  if (kernel.form.getKind() == task::FormKind::Collective)
    return secondsOfCommunication(kernel);
  double seconds = 0;
  for (Operation *op : kernel.ops)
    if (analysis::isAttention(op) ||
        !op->hasAttr(task::attentionAttrName)) // not transposes fused into attention
      seconds += secondsOfOp(op);
  return seconds;
}

double KernelCostModel::secondsOfOp(Operation *op) const {
  return analysis::OpCostModel(op, cluster.device(), shares.of(op))
      .seconds(analysis::OpShapes::of(op));
}

double KernelTimes::seconds(func::FuncOp function, const analysis::Kernel &kernel) {
  auto [entry, isNew] = known.try_emplace(&kernel);
  if (!isNew)
    return entry->second;
  std::unique_ptr<KernelCostModel> &model = models[function];
  if (!model)
    model = std::make_unique<KernelCostModel>(function, cluster);
  return entry->second = model->seconds(kernel);
}

double KernelCostModel::secondsOfCommunication(const analysis::Kernel &kernel) const {
  Operation *first = kernel.ops.front();
  if (auto send = dyn_cast<pipe::SendOp>(first))
    return analysis::secondsOfTransfer(double(analysis::getNumBytes(send.getInput().getType())),
                                       mesh.getNumRanks(), cluster);
  if (isa<pipe::RecvOp>(first)) // the sender accounts for the time
    return 0;
  return analysis::secondsOfCollective(kernel.ops, mesh, cluster);
}

} // namespace pcc::schedule
