// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lower/EarlyKernels.h"

#include "dialects/dist/Group.h"
#include "passes/facts/StageSections.h"
#include "passes/lower/Program.h"

using namespace mlir;

namespace pcc::lower {

EarlyKernels::EarlyKernels(MutableArrayRef<facts::Section> sections) {
  for (facts::Section &section : sections) {
    runs[section.function.getName()] = section.runs;
    if (section.function->hasAttr(facts::earlyAttrName))
      for (facts::Kernel &kernel : facts::collectKernels(section.function))
        if (kernel.early)
          kernels[kernel.early->section].push_back({&section, std::move(kernel)});
  }
}

ArrayRef<EarlyKernel> EarlyKernels::in(StringRef section) const {
  auto found = kernels.find(section);
  return found == kernels.end() ? ArrayRef<EarlyKernel>() : found->second;
}

std::string EarlyKernels::lastSlotOf(StringRef section) const {
  return runs.lookup(section) > 1 && kernels.contains(section) ? facts::sectionOfLastSlot(section)
                                                               : section.str();
}

/// The gradient that `reduce` sums over ranks where it lies; null for what lies elsewhere.
static graph::RoleAttr findGradient(facts::Section &section, dist::AllReduceOp reduce) {
  if (placeOf(reduce.getResult()) != placeOf(reduce.getInput()))
    return nullptr;
  // Through those before it in the same place.
  Value source = facts::viewRoot(reduce.getInput());
  while (auto other = source.getDefiningOp<dist::AllReduceOp>())
    source = facts::viewRoot(other.getInput());
  auto argument = dyn_cast<BlockArgument>(source);
  return argument && placeOf(source) == placeOf(reduce.getResult())
             ? section.getArgumentRole(argument.getArgNumber())
             : graph::RoleAttr();
}

EarlyReduction EarlyKernels::findReduction(graph::RoleAttr gradient, const dist::Mesh &mesh) const {
  EarlyReduction reduction;
  for (const auto &[name, list] : kernels)
    for (const EarlyKernel &early : list)
      for (Operation *op : early.kernel.ops) {
        auto reduce = dyn_cast<dist::AllReduceOp>(op);
        if (!reduce || findGradient(*early.section, reduce) != gradient)
          continue;
        llvm::append_range(reduction.axes, dist::getGroupAxes(reduce.getGroupAttr(), mesh));
        reduction.section = lastSlotOf(name);
      }
  return reduction;
}

} // namespace pcc::lower
