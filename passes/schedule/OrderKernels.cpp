// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OrderKernels: in which order a rank begins its kernels, so that collectives hide under what it
// computes.
//
//                two layers of copy a                        the same of copy b
//   op           matmul  all_reduce  matmul  all_reduce      matmul  all_reduce  matmul  all_reduce
//   kernel       0       1           2       3               4       5           6       7
//   afterwards   0       1           4       5               2       3           6       7
//
// Assumes kernels (AssignKernels), and where reductions of gradients are to run early, their places
// (OverlapReductions). Leaves them with other numbers and places, where the price of the section is
// less in another order (passes/solve/lanes): that of all its slots, of which the last has what
// runs early as well. What is sent to other stages is sent no later. Behind the sections that
// complete gradients the update begins with those that are reduced. Parameters are gathered as late
// as that costs no time, for they lie in memory until they are read. Where all that needs more
// memory than there is, and the given order less, that stays. Sections without collectives stay as
// they are, and so do those with barriers, whose order the user has given.
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
/// The orders of all sections of a step.
class StepOrder {
public:
  StepOrder(ModuleOp module, const abi::Cluster &cluster)
      : module(module), kernels(module), cluster(cluster) {}

  void run() {
    for (facts::Section &section : kernels.getSections())
      order(section);
    kernels.annotate();
  }
  /// Comes back to the given orders if the others need more bytes than that, and these fewer.
  LogicalResult fitInto(int64_t limit);

private:
  void order(facts::Section &section);
  void noteUnfinished(const KernelLanes &lanes, const lanes::LaneOrder &order);

  ModuleOp module;
  StepKernels kernels;
  llvm::DenseMap<facts::Section *, KernelOrder> given = kernels.getOrders();
  const abi::Cluster &cluster;
  /// By section: what of it runs early and is not done when the section ends in which it runs.
  llvm::DenseMap<facts::Section *, SmallVector<Unfinished>> unfinished;
};
} // namespace

/// True if nothing is sent later in the last run, by more than sums of times are rounded by.
static bool sendsInTime(const KernelLanes &lanes, const lanes::LaneOrder &given,
                        const lanes::LaneOrder &found) {
  lanes::LaneTimes before = lanes::runInOrder(lanes.getProblem(), given),
                   after = lanes::runInOrder(lanes.getProblem(), found);
  for (int task : given)
    if (lanes.isSend(task) && after.begin[task] > before.begin[task] + before.finish * 1e-12)
      return false;
  return true;
}

/// The best order that is found in which nothing is sent later.
static lanes::LaneOrder findOrder(const KernelLanes &lanes, const lanes::LaneOrder &given) {
  const lanes::LaneProblem &problem = lanes.getProblem();
  lanes::LaneOrder found = lanes::schedule(problem);
  if (!sendsInTime(lanes, given, found))
    found = given;
  lanes::LaneOrder held = lanes::holdBack(problem, found);
  return sendsInTime(lanes, found, held) ? held : found;
}

/// Puts the kernels of a section into the best order that is found, and says what it brings.
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

/// The rank goes on to the next section when it has computed all of this one.
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
