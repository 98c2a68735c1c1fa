// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/Sections.h"

#include "dialects/graph/Roles.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace pcc::facts {

graph::RoleAttr Section::getArgumentRole(unsigned index) {
  return graph::getArgRole(function, index);
}

graph::RoleAttr Section::getResultRole(unsigned index) {
  return graph::getResultRole(function, index);
}

OperandRange Section::getReturned() {
  return function.getBody().front().getTerminator()->getOperands();
}

bool Section::isAccumulated(unsigned result) {
  return runs > 1 && function.getResultAttr(result, pipe::accumulateAttrName);
}

bool Section::beginsSum(unsigned result) {
  return isAccumulated(result) && !begunSums.contains(getResultRole(result));
}

bool Section::endsSum(unsigned result) {
  return isAccumulated(result) && !openSums.contains(getResultRole(result));
}

pipe::StepOp getStep(ModuleOp module) {
  auto steps = module.getOps<pipe::StepOp>();
  return steps.empty() ? pipe::StepOp() : *steps.begin();
}

/// Adds the roles of the sums that `section` adds to.
static void addSums(Section &section, llvm::SmallPtrSet<Attribute, 4> &sums) {
  for (unsigned result = 0; result < section.function.getNumResults(); ++result)
    if (section.isAccumulated(result) && section.getResultRole(result))
      sums.insert(section.getResultRole(result));
}

SmallVector<Section> collectSections(ModuleOp module) {
  llvm::MapVector<StringRef, int64_t> runs;
  llvm::StringMap<int64_t> lastSlots;
  int64_t slots = 0;
  if (pipe::StepOp step = getStep(module))
    for (auto slot : step.getBody().front().getOps<pipe::SlotOp>()) {
      ++runs[slot.getSection()];
      lastSlots[slot.getSection()] = slots++;
    }
  SmallVector<Section> sections;
  llvm::SmallPtrSet<Attribute, 4> sums;
  for (auto [name, count] : runs)
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      addSums(sections.emplace_back(Section{function, count, sums, {}}), sums);
  for (Section &section : sections)
    for (Section &other : sections)
      if (lastSlots.lookup(other.function.getName()) > lastSlots.lookup(section.function.getName()))
        addSums(other, section.openSums);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !runs.contains(function.getName()))
      sections.push_back({function, 0, {}, {}});
  return sections;
}

std::optional<unsigned> findResult(Section &section, graph::RoleAttr role) {
  for (unsigned i = 0; i < section.function.getNumResults(); ++i)
    if (section.getResultRole(i) == role)
      return i;
  return std::nullopt;
}

} // namespace pcc::facts
