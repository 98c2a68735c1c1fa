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
// (passes/solve/streams). The cost of a section covers all its actions; the last one also runs the
// hoisted kernels.
//
// * Sends to other stages are not delayed.
// * After the sections that complete gradients, the update begins with the reduced gradients.
// * Parameters are gathered as late as possible without a delay, because they occupy memory until
//   they are read. Gradients are reduced as early as the gathers allow, because they occupy memory
//   until then.
// * If the new order exceeds the memory limit, kernels compute in the given order, and only
//   messages move. If that exceeds the limit too, the order that needs the least memory holds.
// * Sections without collectives stay unchanged, and so do sections with barriers, whose order the
//   user has given.
//
// Annotates collectives that no kernel of their section reads with the kernel before which they are
// done by these times (DoneCollectives.cpp).
#include "passes/schedule/Passes.h"
#include "passes/schedule/order/KernelCostModel.h"
#include "passes/schedule/order/KernelStreams.h"
#include "passes/schedule/order/PlannedBytes.h"

#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"

using namespace mlir;

namespace pcc::schedule {
#define GEN_PASS_DEF_ORDERKERNELS
#include "passes/schedule/Passes.h.inc"

namespace {
/// Kernel orders of all sections of a step.
class StepOrder {
public:
  StepOrder(ModuleOp module, const abi::Cluster &cluster)
      : module(module), kernels(module), kernelTimes(cluster) {}

  void run() {
    for (analysis::Section &section : kernels.getSections())
      order(section);
    annotate();
  }
  /// Replaces the new orders, if they need more than `limit` bytes, by others that fit or need
  /// less.
  LogicalResult fitInto(int64_t limit);

private:
  using Orders = llvm::DenseMap<analysis::Section *, KernelOrder>;

  void annotate();
  void order(analysis::Section &section);
  FailureOr<int64_t> countBytes(const Orders &orders);
  void noteUnfinished(const KernelStreams &streams, const streams::StreamOrder &order);

  ModuleOp module;
  StepKernels kernels;
  Orders given = kernels.getOrders();
  Orders placed = given; ///< the given orders with other places of messages
  KernelTimes kernelTimes;
  /// By section: its hoisted kernels that are not done when the section in which they run ends.
  llvm::DenseMap<analysis::Section *, SmallVector<Unfinished>> unfinished;
};
} // namespace

/// Whether no send is later in the last run, up to rounding of summed times.
static bool sendsInTime(const KernelStreams &streams, const streams::StreamOrder &given,
                        const streams::StreamOrder &found) {
  streams::StreamTimes before = streams::runInOrder(streams.getProblem(), given),
                       after = streams::runInOrder(streams.getProblem(), found);
  for (int task : given)
    if (streams.getProblem().tasks[task].isSend &&
        after.begin[task] > before.begin[task] + before.finish * 1e-12)
      return false;
  return true;
}

/// Returns `order` with other places of messages, if no send is later then.
static streams::StreamOrder placeMessages(const KernelStreams &streams,
                                          const streams::StreamOrder &order) {
  streams::StreamOrder placed = streams::placeMessages(streams.getProblem(), order);
  return sendsInTime(streams, order, placed) ? placed : order;
}

/// Returns the best order found in which no send is later.
static streams::StreamOrder findOrder(const KernelStreams &streams,
                                      const streams::StreamOrder &given) {
  streams::StreamOrder found = streams::schedule(streams.getProblem());
  return placeMessages(streams, sendsInTime(streams, given, found) ? found : given);
}

/// Returns the kernels of an order of tasks.
static KernelOrder listKernels(const KernelStreams &streams, const streams::StreamOrder &order) {
  KernelOrder kernels;
  for (int task : order)
    if (StepKernel kernel = streams.getKernel(task); kernel.kernel)
      kernels.push_back(kernel);
  return kernels;
}

/// Reorders the kernels of a section to the best order found, and emits a remark with the gain.
void StepOrder::order(analysis::Section &section) {
  KernelOrder &present = kernels.orderOf(section);
  ArrayRef<Unfinished> before = unfinished[&section];
  if (!mayReorder(present, before))
    return;
  KernelStreams streams(section, before, present, kernelTimes);
  const streams::StreamProblem &problem = streams.getProblem();
  streams::StreamOrder given = streams::givenOrder(problem), found = findOrder(streams, given);
  noteUnfinished(streams, found);
  remark::passed(section.function.getLoc(), remark::RemarkOpts::name("order-kernels")
                                                .category("schedule")
                                                .function(section.function.getName()))
      << remark::metric("given_us", streams::runInOrder(problem, given).finish * 1e6)
      << remark::metric("found_us", streams::runInOrder(problem, found).finish * 1e6)
      << remark::metric("bound_us", streams::lowerBound(problem) * 1e6);
  placed[&section] = listKernels(streams, placeMessages(streams, given));
  present = listKernels(streams, found);
}

/// Records hoisted kernels that are still running when the rank has finished the section's
/// computation and goes on to the next section.
void StepOrder::noteUnfinished(const KernelStreams &streams, const streams::StreamOrder &order) {
  const streams::StreamProblem &problem = streams.getProblem();
  streams::StreamTimes times = streams::runInOrder(problem, order);
  double computed = 0;
  auto endOf = [&](int task) { return times.begin[task] + problem.tasks[task].seconds; };
  for (int task : order)
    if (problem.tasks[task].stream == streams::computeStream)
      computed = std::max(computed, endOf(task));
  for (int task : order)
    if (StepKernel kernel = streams.getKernel(task); kernel.kernel && kernel.kernel->hoisted) {
      double rest = std::min(endOf(task) - computed, problem.tasks[task].seconds);
      unfinished[kernel.section].push_back({kernel, std::max(rest, 0.0)});
    }
}

void StepOrder::annotate() {
  kernels.annotate();
  for (analysis::Section &section : kernels.getSections())
    annotateDone(section, kernels.orderOf(section), unfinished[&section], kernelTimes);
}

/// Returns the planned bytes under `orders`, which hold from now on.
FailureOr<int64_t> StepOrder::countBytes(const Orders &orders) {
  kernels.setOrders(orders);
  annotate();
  return countPlannedBytes(module);
}

LogicalResult StepOrder::fitInto(int64_t limit) {
  FailureOr<int64_t> found = countPlannedBytes(module);
  if (failed(found) || *found <= limit)
    return found;
  const Orders best = kernels.getOrders();
  const Orders *least = &best;
  int64_t minBytes = *found;
  for (const Orders *orders : {&std::as_const(placed), &std::as_const(given)}) {
    FailureOr<int64_t> bytes = countBytes(*orders);
    if (failed(bytes))
      return failure();
    if (*bytes < minBytes) {
      least = orders;
      minBytes = *bytes;
    }
    if (*bytes <= limit)
      break;
  }
  if (least != &best)
    remark::missed(module.getLoc(), remark::RemarkOpts::name("order-kernels").category("schedule"))
        << remark::reason("memory") << remark::metric("kept_bytes", minBytes)
        << remark::metric("found_bytes", *found) << remark::metric("limit_bytes", limit);
  kernels.setOrders(*least);
  annotate();
  return success();
}

namespace {
struct OrderKernels : impl::OrderKernelsBase<OrderKernels> {
  using OrderKernelsBase::OrderKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<abi::Cluster> machine =
        getAnalysis<analysis::ClusterAnalysis>().get(countDevices(module));
    if (failed(machine))
      return signalPassFailure();
    StepOrder order(module, *machine);
    order.run();
    if (memoryLimit > 0 && failed(order.fitInto(memoryLimit)))
      signalPassFailure();
  }
};
} // namespace
} // namespace pcc::schedule
