// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OverlapReductions: collectives of gradients run beside the last backward pass, not behind it.
//
// Assumes kernels (AssignKernels) and slots in their order. Kernels of the update that need nothing
// but complete gradients (GradientPlaces.h), and end in a collective, run where these are complete.
// Leaves `task.early` on the update, [[@backward, 17]] for a kernel that runs in the last slot of
// @backward behind kernel 17, and gives those kernels its first numbers, in the order in which they
// will run. What reads the parameters, or gradients of several stages, stays where it is.
#include "passes/schedule/GradientPlaces.h"
#include "passes/schedule/Passes.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::schedule {
#define GEN_PASS_DEF_OVERLAPREDUCTIONS
#include "passes/schedule/Passes.h.inc"

namespace {
/// The kernels of one section.
class Update {
public:
  Update(facts::Section &section, const GradientPlaces &gradients)
      : section(section), kernels(facts::collectKernels(section.function)),
        places(gradients.placeKernels(section, kernels)) {
    for (const facts::Kernel &kernel : kernels)
      if (places[kernel.number] && places[kernel.number]->slot < 0)
        free.insert(kernel.number);
    for (const facts::Kernel &kernel : kernels)
      if (isCollective(kernel) && places[kernel.number] && !free.contains(kernel.number))
        take(kernel);
  }

  /// Annotates; returns how many collectives run elsewhere.
  int64_t annotate();

private:
  static bool isCollective(const facts::Kernel &kernel) {
    return kernel.form.getKind() == FormKind::Collective;
  }
  void take(const facts::Kernel &kernel);

  facts::Section &section;
  SmallVector<facts::Kernel> kernels;
  SmallVector<std::optional<Place>> places; ///< by kernel, where it will run
  /// Those that need nothing at all, and run where somebody reads them first.
  llvm::SmallDenseSet<int64_t> free;
  llvm::SmallSetVector<int64_t, 16> early; ///< each behind those that it reads
};
} // namespace

/// What the kernel reads is computed before it; what needs nothing, before the first that reads it.
void Update::take(const facts::Kernel &kernel) {
  const Place &place = *places[kernel.number];
  for (Value input : kernel.inputs) {
    Operation *producer = facts::viewRoot(input).getDefiningOp();
    std::optional<int64_t> number =
        producer ? facts::getKernelNumber(producer) : std::optional<int64_t>();
    if (!number)
      continue;
    bool isFree = free.contains(*number), isTaken = early.contains(*number);
    if (isTaken && !(isFree && place < *places[*number]))
      continue;
    if (isFree)
      places[*number] = place;
    take(kernels[*number]);
  }
  early.insert(kernel.number);
}

int64_t Update::annotate() {
  if (early.empty())
    return 0;
  SmallVector<int64_t> order(early.begin(), early.end());
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return *places[a] < *places[b]; });
  Builder b(section.function.getContext());
  SmallVector<Attribute> runsIn, forms;
  for (int64_t number : order)
    runsIn.push_back(
        b.getArrayAttr({FlatSymbolRefAttr::get(b.getContext(), places[number]->section),
                        b.getI64IntegerAttr(places[number]->behind)}));
  for (const facts::Kernel &kernel : kernels)
    if (!early.contains(kernel.number))
      order.push_back(kernel.number);
  int64_t collectives = 0;
  for (auto [number, old] : llvm::enumerate(order)) {
    const facts::Kernel &kernel = kernels[old];
    for (Operation *op : kernel.ops)
      op->setAttr(facts::kernelAttrName, b.getI64IntegerAttr(number));
    forms.push_back(kernel.form);
    collectives += number < runsIn.size() && isCollective(kernel);
  }
  section.function->setAttr(facts::formsAttrName, b.getArrayAttr(forms));
  section.function->setAttr(facts::earlyAttrName, b.getArrayAttr(runsIn));
  return collectives;
}

namespace {
struct OverlapReductions : impl::OverlapReductionsBase<OverlapReductions> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    GradientPlaces gradients(module);
    int64_t collectives = 0;
    for (facts::Section &section : facts::collectSections(module))
      if (section.runs == 1)
        collectives += Update(section, gradients).annotate();
    remark::passed(module.getLoc(),
                   remark::RemarkOpts::name("overlap-reductions").category("schedule"))
        << remark::metric("collectives", collectives);
  }
};
} // namespace
} // namespace pcc::schedule
