// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces returned gradients to the values that make them, across sections by role. Then visits the
// hoisted kernels. An all_reduce counts if its operand and its result have the same place in the
// memory plan.
#include "passes/analysis/kernels/HoistedReductions.h"

using namespace mlir;

namespace pcc::analysis {

HoistedReductions::HoistedReductions(MutableArrayRef<Section> sections) {
  for (Section &section : sections)
    if (section.runs > 0)
      addSources(section);
  for (Section &section : sections)
    if (section.function->hasAttr(hoistedAttrName))
      for (const Kernel &kernel : collectKernels(section.function))
        for (Operation *op : kernel.ops)
          if (auto reduce = dyn_cast<dist::AllReduceOp>(op); reduce && kernel.hoisted)
            addReduction(section, reduce, kernel.hoisted->section);
}

/// Traces a value back to the section that computes it.
Value HoistedReductions::sourceOf(Section &section, Value value) const {
  Value root = viewRoot(value);
  auto argument = dyn_cast<BlockArgument>(root);
  graph::RoleAttr role =
      argument ? section.getArgumentRole(argument.getArgNumber()) : graph::RoleAttr();
  Value source = role ? sources.lookup(role) : Value();
  return source ? source : root;
}

void HoistedReductions::addSources(Section &section) {
  for (auto [result, value] : llvm::enumerate(section.getReturned()))
    if (graph::RoleAttr role = section.getResultRole(result))
      if (!section.isAccumulated(result))
        sources[role] = sourceOf(section, value);
}

/// Adds `reduce` to the reductions of a gradient, if `reduce` sums the gradient in place.
void HoistedReductions::addReduction(Section &section, dist::AllReduceOp reduce, StringRef runsIn) {
  task::PlaceAttr place = getPlace(reduce.getResult());
  Value source = viewRoot(reduce.getInput());
  if (!place || getPlace(source) != place)
    return;
  // A gradient may be summed over one axis after the other in the same place.
  while (auto other = source.getDefiningOp<dist::AllReduceOp>()) {
    source = viewRoot(other.getInput());
    if (getPlace(source) != place)
      return;
  }
  auto argument = dyn_cast<BlockArgument>(source);
  graph::RoleAttr role =
      argument ? section.getArgumentRole(argument.getArgNumber()) : graph::RoleAttr();
  if (!role)
    return;
  Value made = sources.lookup(role);
  HoistedReduction &reduction = made ? byValue[made] : byAccumulatedRole[role];
  reduction.reduces.push_back(reduce);
  reduction.section = runsIn;
}

const HoistedReduction *HoistedReductions::find(graph::RoleAttr gradient) const {
  if (Value made = sources.lookup(gradient)) {
    auto found = byValue.find(made);
    return found == byValue.end() ? nullptr : &found->second;
  }
  auto found = byAccumulatedRole.find(gradient);
  return found == byAccumulatedRole.end() ? nullptr : &found->second;
}

} // namespace pcc::analysis
