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
// Assumes kernels (AssignKernels). Leaves them with other numbers, where the price of the section
// is less in another order (passes/solve/lanes); sections without collectives stay as they are, and
// so do those with barriers, whose order the user has given.
#include "passes/schedule/KernelLanes.h"
#include "passes/schedule/Passes.h"

#include "dialects/dist/Dist.h"
#include "dialects/pipe/Stages.h"
#include "mlir/IR/Remarks.h"
#include "runtime/machine/Cluster.h"

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::schedule {
#define GEN_PASS_DEF_ORDERKERNELS
#include "passes/schedule/Passes.h.inc"

static bool mayReorder(ArrayRef<facts::Kernel> kernels) {
  auto isCollective = [](const facts::Kernel &kernel) {
    return kernel.form.getKind() == FormKind::Collective;
  };
  auto isBarrier = [](const facts::Kernel &kernel) {
    return isa<dist::BarrierOp>(kernel.ops.front());
  };
  return llvm::any_of(kernels, isCollective) && llvm::none_of(kernels, isBarrier);
}

/// Gives the kernels numbers by their places in `order`.
static void renumber(func::FuncOp function, ArrayRef<facts::Kernel> kernels,
                     const lanes::LaneOrder &order) {
  Builder b(function.getContext());
  SmallVector<Attribute> forms;
  for (int old : order) {
    for (Operation *op : kernels[old].ops)
      op->setAttr(facts::kernelAttrName, b.getI64IntegerAttr(forms.size()));
    forms.push_back(kernels[old].form);
  }
  function->setAttr(facts::formsAttrName, b.getArrayAttr(forms));
}

/// Puts the kernels of a section into the best order that is found, and says what it brings.
static void order(facts::Section &section, const abi::Cluster &cluster) {
  SmallVector<facts::Kernel> kernels = facts::collectKernels(section.function);
  if (!mayReorder(kernels))
    return;
  lanes::LaneProblem problem = KernelLanes(section, kernels, cluster).getProblem();
  double given = lanes::runInOrder(problem, lanes::givenOrder(problem)).finish;
  lanes::LaneOrder found = lanes::schedule(problem);
  double seconds = lanes::runInOrder(problem, found).finish;
  if (seconds < given)
    renumber(section.function, kernels, found);
  remark::passed(section.function.getLoc(), remark::RemarkOpts::name("order-kernels")
                                                .category("schedule")
                                                .function(section.function.getName()))
      << remark::metric("given_us", given * 1e6) << remark::metric("found_us", seconds * 1e6)
      << remark::metric("bound_us", lanes::lowerBound(problem) * 1e6);
}

namespace {
struct OrderKernels : impl::OrderKernelsBase<OrderKernels> {
  using OrderKernelsBase::OrderKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    int64_t ranks = dist::getMesh(module).getNumRanks();
    // Stages hand on to others, which have as many ranks.
    abi::Expected<abi::Cluster> machine =
        machine::parseCluster(cluster, pipe::getStage(module) ? 2 * ranks : ranks);
    if (!machine) {
      module.emitError() << machine.status().message();
      return signalPassFailure();
    }
    for (facts::Section &section : facts::collectSections(module))
      if (section.runs > 0)
        order(section, *machine);
  }
};
} // namespace
} // namespace pcc::schedule
