// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OverlapReductions: hoists collectives of gradients into the last backward pass, so that they
// overlap with it.
//
// Assumes kernels (AssignKernels) and actions in their order. Kernels of the update are hoisted if
// they need only complete gradients (GradientReadyPoints.h) and end in a collective. They run at
// the point where these gradients are complete. Leaves `task.hoisted` on the update: [[@backward,
// 17]] for a kernel that runs in the last action of @backward after kernel 17. The hoisted kernels
// get the first numbers of the update, in the order in which they will run. Kernels that read the
// parameters, or gradients of several stages, are not hoisted.
#include "passes/schedule/Passes.h"
#include "passes/schedule/collectives/GradientReadyPoints.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::schedule {
#define GEN_PASS_DEF_OVERLAPREDUCTIONS
#include "passes/schedule/Passes.h.inc"

namespace {
/// Kernels of one section.
class Update {
public:
  Update(analysis::Section &section, const GradientReadyPoints &gradients)
      : section(section), kernels(analysis::collectKernels(section.function)),
        points(gradients.findKernelPoints(section, kernels)) {
    for (const analysis::Kernel &kernel : kernels)
      if (points[kernel.number] && points[kernel.number]->action < 0)
        free.insert(kernel.number);
    for (const analysis::Kernel &kernel : kernels)
      if (isCollective(kernel) && points[kernel.number] && !free.contains(kernel.number))
        take(kernel);
  }

  /// Annotates the section; returns the number of hoisted collectives.
  int64_t annotate();

private:
  static bool isCollective(const analysis::Kernel &kernel) {
    return kernel.form.getKind() == FormKind::Collective;
  }
  void take(const analysis::Kernel &kernel);

  analysis::Section &section;
  SmallVector<analysis::Kernel> kernels;
  SmallVector<std::optional<StepPoint>> points; ///< by kernel, where it will run
  /// Kernels without dependences; they run before their first reader.
  llvm::SmallDenseSet<int64_t> free;
  llvm::SmallSetVector<int64_t, 16> hoisted; ///< hoisted kernels, each after its producers
};
} // namespace

/// Hoists a kernel and its producers before it. A kernel without dependences runs before its first
/// reader.
void Update::take(const analysis::Kernel &kernel) {
  const StepPoint &point = *points[kernel.number];
  for (Value input : kernel.inputs) {
    Operation *producer = analysis::viewRoot(input).getDefiningOp();
    std::optional<int64_t> number =
        producer ? analysis::getKernelNumber(producer) : std::optional<int64_t>();
    if (!number)
      continue;
    bool isFree = free.contains(*number), isTaken = hoisted.contains(*number);
    if (isTaken && !(isFree && point < *points[*number]))
      continue;
    if (isFree)
      points[*number] = point;
    take(kernels[*number]);
  }
  hoisted.insert(kernel.number);
}

int64_t Update::annotate() {
  if (hoisted.empty())
    return 0;
  SmallVector<int64_t> order(hoisted.begin(), hoisted.end());
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return *points[a] < *points[b]; });
  Builder b(section.function.getContext());
  SmallVector<Attribute> runsIn, forms;
  for (int64_t number : order)
    runsIn.push_back(
        b.getArrayAttr({FlatSymbolRefAttr::get(b.getContext(), points[number]->section),
                        b.getI64IntegerAttr(points[number]->behind)}));
  for (const analysis::Kernel &kernel : kernels)
    if (!hoisted.contains(kernel.number))
      order.push_back(kernel.number);
  int64_t collectives = 0;
  for (auto [number, old] : llvm::enumerate(order)) {
    const analysis::Kernel &kernel = kernels[old];
    for (Operation *op : kernel.ops)
      op->setAttr(analysis::kernelAttrName, b.getI64IntegerAttr(number));
    forms.push_back(kernel.form);
    collectives += number < runsIn.size() && isCollective(kernel);
  }
  section.function->setAttr(analysis::formsAttrName, b.getArrayAttr(forms));
  section.function->setAttr(analysis::hoistedAttrName, b.getArrayAttr(runsIn));
  return collectives;
}

namespace {
struct OverlapReductions : impl::OverlapReductionsBase<OverlapReductions> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    GradientReadyPoints gradients(module);
    int64_t collectives = 0;
    for (analysis::Section &section : analysis::collectSections(module))
      if (section.runs == 1)
        collectives += Update(section, gradients).annotate();
    remark::passed(module.getLoc(),
                   remark::RemarkOpts::name("overlap-reductions").category("schedule"))
        << remark::metric("collectives", collectives);
  }
};
} // namespace
} // namespace pcc::schedule
