// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OrderKernels: chooses the order in which a rank starts its kernels, so that collectives overlap
// with computation.
//
//                 two layers of copy a                        the same of copy b
//   op           matmul  all_reduce  matmul  all_reduce      matmul  all_reduce  matmul  all_reduce
//   kernel       0       1           2       3               4       5           6       7
//   afterwards   0       1           4       5               2       3           6       7
//
// Assumes kernels (AssignKernels) and the places of hoisted reductions, if any (OverlapReductions).
// Renumbers kernels and moves places if another order has a lower cost for the section
// (passes/solve/lanes). The cost of a section covers all its actions; the last one also runs the
// hoisted kernels.
//
// * Sends to other stages are not delayed.
// * After the sections that complete gradients, the update begins with the reduced gradients.
// * Parameters are gathered as late as possible without a delay, because they occupy memory until
//   they are read.
// * If the new order exceeds the memory limit and the given order needs less memory, the given
//   order stays.
// * Sections without collectives stay unchanged, and so do sections with barriers, whose order the
//   user has given.
#include "passes/schedule/KernelLanes.h"
#include "passes/schedule/KernelSeconds.h"
#include "passes/schedule/Passes.h"
#include "passes/schedule/PlannedBytes.h"

#include "mlir/IR/Remarks.h"
#include "runtime/machine/Cluster.h"

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::schedule {
#define GEN_PASS_DEF_ORDERKERNELS
#include "passes/schedule/Passes.h.inc"

static bool mayReorder(ArrayRef<Unfinished> unfinished, ArrayRef<StepKernel> kernels) {
  auto isCollective = [](StepKernel entry) {
    return entry.kernel->form.getKind() == FormKind::Collective;
  };
  auto isBarrier = [](StepKernel entry) { return isa<dist::BarrierOp>(entry.kernel->ops.front()); };
  return (!unfinished.empty() || llvm::any_of(kernels, isCollective)) &&
         llvm::none_of(kernels, isBarrier);
}

namespace {
/// Kernel orders of all sections of a step.
class StepOrder {
public:
  StepOrder(ModuleOp module, const abi::Cluster &cluster)
      : module(module), kernels(module), cluster(cluster) {}

  void run() {
    for (facts::Section &section : kernels.getSections())
      order(section);
    kernels.annotate();
  }
  /// Restores the given orders if the new ones need more than `limit` bytes and the given ones need
  /// less.
  LogicalResult fitInto(int64_t limit);

private:
  void order(facts::Section &section);
  void noteUnfinished(const KernelLanes &lanes, const lanes::LaneOrder &order);

  ModuleOp module;
  StepKernels kernels;
  llvm::DenseMap<facts::Section *, KernelOrder> given = kernels.getOrders();
  const abi::Cluster &cluster;
  /// By section: its hoisted kernels that are not done when the section in which they run ends.
  llvm::DenseMap<facts::Section *, SmallVector<Unfinished>> unfinished;
};
} // namespace

/// Whether no send is later in the last run, up to rounding of summed times.
static bool sendsInTime(const KernelLanes &lanes, const lanes::LaneOrder &given,
                        const lanes::LaneOrder &found) {
  lanes::LaneTimes before = lanes::runInOrder(lanes.getProblem(), given),
                   after = lanes::runInOrder(lanes.getProblem(), found);
  for (int task : given)
    if (lanes.isSend(task) && after.begin[task] > before.begin[task] + before.finish * 1e-12)
      return false;
  return true;
}

/// Returns the best order found in which no send is later.
static lanes::LaneOrder findOrder(const KernelLanes &lanes, const lanes::LaneOrder &given) {
  const lanes::LaneProblem &problem = lanes.getProblem();
  lanes::LaneOrder found = lanes::schedule(problem);
  if (!sendsInTime(lanes, given, found))
    found = given;
  lanes::LaneOrder held = lanes::holdBack(problem, found);
  return sendsInTime(lanes, found, held) ? held : found;
}

/// Reorders the kernels of a section to the best order found, and emits a remark with the gain.
void StepOrder::order(facts::Section &section) {
  KernelOrder &present = kernels.orderOf(section);
  ArrayRef<Unfinished> before = unfinished[&section];
  if (!mayReorder(before, present))
    return;
  KernelLanes lanes(section, before, present, cluster);
  const lanes::LaneProblem &problem = lanes.getProblem();
  lanes::LaneOrder given = lanes::givenOrder(problem), found = findOrder(lanes, given);
  noteUnfinished(lanes, found);
  remark::passed(section.function.getLoc(), remark::RemarkOpts::name("order-kernels")
                                                .category("schedule")
                                                .function(section.function.getName()))
      << remark::metric("given_us", lanes::runInOrder(problem, given).finish * 1e6)
      << remark::metric("found_us", lanes::runInOrder(problem, found).finish * 1e6)
      << remark::metric("bound_us", lanes::lowerBound(problem) * 1e6);
  present.clear();
  for (int task : found)
    if (StepKernel kernel = lanes.getKernel(task); kernel.kernel)
      present.push_back(kernel);
}

/// Records hoisted kernels that are still running when the rank has finished the section's
/// computation and goes on to the next section.
void StepOrder::noteUnfinished(const KernelLanes &lanes, const lanes::LaneOrder &order) {
  const lanes::LaneProblem &problem = lanes.getProblem();
  lanes::LaneTimes times = lanes::runInOrder(problem, order);
  double computed = 0;
  auto endOf = [&](int task) { return times.begin[task] + problem.tasks[task].seconds; };
  for (int task : order)
    if (problem.tasks[task].lane == lanes::computeLane)
      computed = std::max(computed, endOf(task));
  for (int task : order)
    if (StepKernel kernel = lanes.getKernel(task); kernel.kernel && kernel.kernel->early) {
      double rest = std::min(endOf(task) - computed, problem.tasks[task].seconds);
      unfinished[kernel.section].push_back({kernel, std::max(rest, 0.0)});
    }
}

LogicalResult StepOrder::fitInto(int64_t limit) {
  FailureOr<int64_t> found = countPlannedBytes(module);
  if (failed(found) || *found <= limit)
    return found;
  llvm::DenseMap<facts::Section *, KernelOrder> orders = kernels.getOrders();
  kernels.setOrders(given);
  kernels.annotate();
  FailureOr<int64_t> before = countPlannedBytes(module);
  if (failed(before))
    return failure();
  if (*before < *found) {
    remark::missed(module.getLoc(), remark::RemarkOpts::name("order-kernels").category("schedule"))
        << remark::reason("memory") << remark::metric("given_bytes", *before)
        << remark::metric("found_bytes", *found) << remark::metric("limit_bytes", limit);
    return success();
  }
  kernels.setOrders(std::move(orders));
  kernels.annotate();
  return success();
}

namespace {
struct OrderKernels : impl::OrderKernelsBase<OrderKernels> {
  using OrderKernelsBase::OrderKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    abi::Expected<abi::Cluster> machine = machine::parseCluster(cluster, countDevices(module));
    if (!machine) {
      module.emitError() << machine.status().message();
      return signalPassFailure();
    }
    StepOrder order(module, *machine);
    order.run();
    if (memoryLimit > 0 && failed(order.fitInto(memoryLimit)))
      signalPassFailure();
  }
};
} // namespace
} // namespace pcc::schedule
