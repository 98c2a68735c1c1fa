// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/Sections.h"

#include "dialects/graph/Roles.h"
#include "llvm/ADT/MapVector.h"

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

pipe::StepOp getStep(ModuleOp module) {
  auto steps = module.getOps<pipe::StepOp>();
  return steps.empty() ? pipe::StepOp() : *steps.begin();
}

SmallVector<Section> collectSections(ModuleOp module) {
  llvm::MapVector<StringRef, int64_t> runs;
  if (pipe::StepOp step = getStep(module))
    for (auto slot : step.getBody().front().getOps<pipe::SlotOp>())
      ++runs[slot.getSection()];
  SmallVector<Section> sections;
  llvm::SmallPtrSet<Attribute, 4> begunSums;
  for (auto [name, count] : runs)
    if (auto function = module.lookupSymbol<func::FuncOp>(name)) {
      Section &section = sections.emplace_back(Section{function, count, begunSums});
      for (unsigned result = 0; result < function.getNumResults(); ++result)
        if (section.isAccumulated(result) && section.getResultRole(result))
          begunSums.insert(section.getResultRole(result));
    }
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !runs.contains(function.getName()))
      sections.push_back({function, 0, {}});
  return sections;
}

std::optional<unsigned> findResult(Section &section, graph::RoleAttr role) {
  for (unsigned i = 0; i < section.function.getNumResults(); ++i)
    if (section.getResultRole(i) == role)
      return i;
  return std::nullopt;
}

} // namespace pcc::facts
