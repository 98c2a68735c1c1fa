// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the actions of each section in `pipe.step`. The order of first actions gives the begun
// sums, and the order of last actions gives the open sums.
#include "passes/analysis/Sections.h"

#include "dialects/graph/Roles.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace pcc::analysis {

graph::RoleAttr Section::getArgumentRole(unsigned index) {
  return graph::getArgRole(function, index);
}

Attribute Section::getArgumentKey(unsigned index) {
  graph::RoleAttr role = getArgumentRole(index);
  auto copy = function.getArgAttrOfType<IntegerAttr>(index, pipe::copyAttrName);
  return copy && copy.getInt() > 0 ? ArrayAttr::get(function.getContext(), {role, copy})
                                   : Attribute(role);
}

graph::RoleAttr Section::getResultRole(unsigned index) {
  return graph::getResultRole(function, index);
}

OperandRange Section::getReturned() {
  return function.getBody().front().getTerminator()->getOperands();
}

bool Section::isAccumulated(unsigned result) {
  if (runs == 0 || !function.getResultAttr(result, pipe::accumulateAttrName))
    return false;
  return runs > 1 || results.lookup(getResultRole(result)).size() > 1;
}

bool Section::beginsSum(unsigned result) {
  graph::RoleAttr role = getResultRole(result);
  return isAccumulated(result) && !begunSums.contains(role) &&
         (!role || results.lookup(role).front() == result);
}

bool Section::endsSum(unsigned result) {
  graph::RoleAttr role = getResultRole(result);
  return isAccumulated(result) && !openSums.contains(role) &&
         (!role || results.lookup(role).back() == result);
}

static Section makeSection(mlir::func::FuncOp function, int64_t runs) {
  Section section;
  section.function = function;
  section.runs = runs;
  for (unsigned result = 0; result < function.getNumResults(); ++result)
    if (graph::RoleAttr role = section.getResultRole(result))
      section.results[role].push_back(result);
  return section;
}

pipe::StepOp getStep(ModuleOp module) {
  auto steps = module.getOps<pipe::StepOp>();
  return steps.empty() ? pipe::StepOp() : *steps.begin();
}

/// Adds the roles of the sums to which `section` adds.
static void addSums(Section &section, llvm::SmallPtrSet<Attribute, 4> &sums) {
  for (unsigned result = 0; result < section.function.getNumResults(); ++result)
    if (section.isAccumulated(result) && section.getResultRole(result))
      sums.insert(section.getResultRole(result));
}

SmallVector<Section> collectSections(ModuleOp module) {
  llvm::MapVector<StringRef, int64_t> runs;
  llvm::StringMap<int64_t> lastActions;
  int64_t numActions = 0;
  if (pipe::StepOp step = getStep(module))
    for (auto action : step.getBody().front().getOps<pipe::ActionOp>()) {
      ++runs[action.getSection()];
      lastActions[action.getSection()] = numActions++;
    }
  SmallVector<Section> sections;
  llvm::SmallPtrSet<Attribute, 4> sums;
  for (auto [name, count] : runs)
    if (auto function = module.lookupSymbol<func::FuncOp>(name)) {
      Section &section = sections.emplace_back(makeSection(function, count));
      section.begunSums = sums;
      addSums(section, sums);
    }
  for (Section &section : sections)
    for (Section &other : sections)
      if (lastActions.lookup(other.function.getName()) >
          lastActions.lookup(section.function.getName()))
        addSums(other, section.openSums);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !runs.contains(function.getName()))
      sections.push_back(makeSection(function, /*runs=*/0));
  return sections;
}

ShapedType getSumType(Type value) {
  auto type = cast<ShapedType>(value);
  return type.clone(graph::accumulatorOf(type.getElementType()));
}

std::optional<unsigned> findResult(Section &section, graph::RoleAttr role) {
  for (unsigned i = 0; i < section.function.getNumResults(); ++i)
    if (section.getResultRole(i) == role)
      return i;
  return std::nullopt;
}

} // namespace pcc::analysis
