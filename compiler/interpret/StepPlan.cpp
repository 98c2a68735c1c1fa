// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/interpret/StepPlan.h"

#include "compiler/interpret/Training.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// What is known of a value that sections hand to one another.
struct Shared {
  Section *section;
  Binding *binding;
};

LogicalResult checkSameSharding(llvm::StringMap<Shared> &seen, Section &section, Binding &binding) {
  auto [entry, isNew] = seen.try_emplace(binding.key, Shared{&section, &binding});
  const Shared &first = entry->second;
  if (isNew || (first.binding->type == binding.type && first.binding->sharding == binding.sharding))
    return success();
  return emitError(section.function.getLoc())
         << "\"" << binding.key << "\" is " << binding.type << " " << binding.sharding.str()
         << " here and " << first.binding->type << " " << first.binding->sharding.str() << " in \""
         << first.section->getName() << "\"";
}

/// Sections agree on how parameters and gradients lie, and all or none of them have local types.
LogicalResult checkSections(StepPlan &plan) {
  llvm::StringMap<Shared> seen;
  bool isLocal = plan.sections.front().signature.isLocal;
  for (Section &section : plan.sections) {
    if (section.signature.isLocal != isLocal)
      return emitError(section.function.getLoc())
             << "only some sections of the step have local types";
    for (auto *bindings : {&section.signature.arguments, &section.signature.results})
      for (Binding &binding : *bindings)
        if (binding.role == graph::RoleKind::Parameter || binding.role == graph::RoleKind::Gradient)
          if (failed(checkSameSharding(seen, section, binding)))
            return failure();
  }
  return success();
}

/// What comes before the first step has parameters of the step, and nothing else.
LogicalResult checkStart(StepPlan &plan, Section &start) {
  auto isKnown = [&](const Binding &binding) {
    return binding.role == graph::RoleKind::Parameter &&
           llvm::any_of(plan.sections, [&](Section &section) {
             return llvm::any_of(section.signature.arguments, [&](const Binding &other) {
               return other.key == binding.key && other.type == binding.type;
             });
           });
  };
  for (auto *bindings : {&start.signature.arguments, &start.signature.results})
    for (const Binding &binding : *bindings)
      if (!isKnown(binding))
        return emitError(start.function.getLoc())
               << "expected \"" << start.getName() << "\" to take and give parameters of the step, "
               << "got \"" << binding.key << "\"";
  return success();
}

/// The index of the section called `name` in the plan, looked up in the module at its first use.
FailureOr<size_t> sectionIndex(StepPlan &plan, ModuleOp module, llvm::StringRef name) {
  auto known = llvm::find_if(plan.sections, [&](Section &s) { return s.getName() == name; });
  if (known != plan.sections.end())
    return known - plan.sections.begin();
  FailureOr<Section> section = Section::find(module, name);
  if (failed(section))
    return failure();
  plan.sections.push_back(*section);
  return plan.sections.size() - 1;
}

} // namespace

FailureOr<StepPlan> makeStepPlan(ModuleOp module) {
  StepPlan plan;
  plan.step = findStep(module);
  if (!plan.step)
    return emitError(module.getLoc()) << "expected a training step (pipe.step)";
  int64_t copies = plan.step.getCopies();
  plan.blocks = plan.step.getMicroBatches() * copies;
  for (auto slot : plan.step.getBody().getOps<pipe::SlotOp>()) {
    FailureOr<size_t> section = sectionIndex(plan, module, slot.getSection());
    if (failed(section))
      return failure();
    int64_t microbatch = slot.getMicrobatch().value_or(0), copy = slot.getCopy().value_or(0);
    plan.slots.push_back({*section, microbatch * copies + copy});
  }
  if (plan.slots.empty())
    return emitError(plan.step.getLoc()) << "the step has no slots";
  if (failed(checkSections(plan)))
    return failure();
  if (module.lookupSymbol<func::FuncOp>(pipe::startName)) {
    FailureOr<Section> start = Section::find(module, pipe::startName);
    if (failed(start) || failed(checkStart(plan, *start)))
      return failure();
    plan.start = *start;
  }
  for (Section &section : plan.sections)
    if (dist::Mesh mesh = section.ranksToRun(); mesh.getNumRanks() > plan.ranks.getNumRanks())
      plan.ranks = mesh;
  return plan;
}

LogicalResult checkStepValues(StepPlan &plan, llvm::ArrayRef<NamedTensors> batches,
                              const NamedTensors &parameters) {
  for (Section &section : plan.sections)
    for (const Binding &binding : section.signature.arguments) {
      bool isParameter = binding.role == graph::RoleKind::Parameter;
      if (!isParameter && binding.role != graph::RoleKind::Input)
        continue;
      Binding whole = binding;
      if (!isParameter && !whole.globalShape.empty())
        whole.globalShape[0] *= plan.blocks;
      for (const NamedTensors &values : isParameter ? llvm::ArrayRef(parameters) : batches) {
        auto value = values.find(binding.key);
        if (value == values.end())
          return emitError(section.function.getLoc())
                 << "expected a value for \"" << binding.key << "\"";
        if (failed(checkShape(section, whole, value->second)))
          return failure();
      }
    }
  return success();
}

} // namespace pcc::interpret
