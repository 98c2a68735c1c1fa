// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up the sections of each stage in the order of its actions. Then checks types and shardings
// of shared values, and that each saved value has one saving section, which runs as often as its
// readers. Stages must agree on microbatches and copies.
#include "compiler/interpret/training/StepPlan.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// First section and binding with the key of a value that several sections use.
struct Shared {
  Section *section;
  Binding *binding;
};

bool isShared(const Binding &binding) {
  return binding.role == graph::RoleKind::Parameter || binding.role == graph::RoleKind::Gradient ||
         binding.role == graph::RoleKind::Saved;
}

LogicalResult checkSameSharding(llvm::StringMap<Shared> &seen, Section &section, Binding &binding) {
  auto [entry, isNew] = seen.try_emplace(binding.key, Shared{&section, &binding});
  const Shared &first = entry->second;
  if (isNew || (first.binding->type == binding.type && first.binding->sharding == binding.sharding))
    return success();
  return emitError(section.getLoc())
         << "\"" << binding.key << "\" is " << binding.type << " " << binding.sharding.str()
         << " here and " << first.binding->type << " " << first.binding->sharding.str() << " in \""
         << first.section->getName() << "\"";
}

/// Checks that sections agree on types and shardings of shared values, and that all or none of them
/// have local types.
LogicalResult checkSections(StagePlan &plan) {
  llvm::StringMap<Shared> seen;
  bool isLocal = plan.sections.front().signature.isLocal;
  for (Section &section : plan.sections) {
    if (section.signature.isLocal != isLocal)
      return emitError(section.getLoc()) << "only some sections of the step have local types";
    for (auto *bindings : {&section.signature.arguments, &section.signature.results})
      for (Binding &binding : *bindings)
        if (isShared(binding) && failed(checkSameSharding(seen, section, binding)))
          return failure();
  }
  return success();
}

/// Returns the section that saves the value of `key`. Emits an error if no section saves it, or
/// two.
FailureOr<size_t> findSaver(const StagePlan &plan, const Section &reader, const std::string &key) {
  std::optional<size_t> saver;
  for (auto [index, section] : llvm::enumerate(plan.sections))
    for (const Binding &binding : section.signature.results)
      if (binding.role == graph::RoleKind::Saved && binding.globalKey == key) {
        if (saver)
          return emitError(section.getLoc()) << "\"" << plan.sections[*saver].getName()
                                             << "\" returns \"" << key << "\" already";
        saver = index;
      }
  if (saver)
    return *saver;
  return emitError(reader.getLoc()) << "no section of the step returns \"" << key << "\", which \""
                                    << reader.getName() << "\" reads";
}

/// Checks that sections that read a saved value run as often as the section that saves it.
LogicalResult checkSaved(StagePlan &plan) {
  for (auto [index, section] : llvm::enumerate(plan.sections))
    for (const Binding &binding : section.signature.arguments) {
      if (binding.role != graph::RoleKind::Saved)
        continue;
      FailureOr<size_t> saver = findSaver(plan, section, binding.globalKey);
      if (failed(saver))
        return failure();
      if (int64_t reads = plan.runsOf(index), saves = plan.runsOf(*saver); reads != saves)
        return emitError(section.getLoc())
               << "expected \"" << section.getName() << "\", which reads \"" << binding.globalKey
               << "\", to run in " << saves << " actions as \"" << plan.sections[*saver].getName()
               << "\" does, got " << reads;
      ++plan.readers[binding.globalKey];
    }
  return success();
}

/// Returns whether `binding` is a parameter that a section of the step takes.
bool isParameterOfStep(const StagePlan &plan, const Binding &binding) {
  auto isSame = [&](const Binding &other) {
    return other.key == binding.key && other.type == binding.type;
  };
  return binding.role == graph::RoleKind::Parameter &&
         llvm::any_of(plan.sections, [&](const Section &section) {
           return llvm::any_of(section.signature.arguments, isSame);
         });
}

/// Checks that the section before the first step takes and returns only parameters of the step.
LogicalResult checkStart(const StagePlan &plan, const Section &start) {
  for (auto *bindings : {&start.signature.arguments, &start.signature.results})
    for (const Binding &binding : *bindings)
      if (!isParameterOfStep(plan, binding))
        return emitError(start.getLoc())
               << "expected \"" << start.getName() << "\" to take and give parameters of the step, "
               << "got \"" << binding.key << "\"";
  return success();
}

/// Returns the index of the section called `name` in the plan. Looks up the section in the program
/// at its first use.
FailureOr<size_t> sectionIndex(StagePlan &plan, ModuleOp program, llvm::StringRef name) {
  auto known = llvm::find_if(plan.sections, [&](Section &s) { return s.getName() == name; });
  if (known != plan.sections.end())
    return known - plan.sections.begin();
  FailureOr<Section> section = Section::find(program, name);
  if (failed(section))
    return failure();
  plan.sections.push_back(*section);
  return plan.sections.size() - 1;
}

LogicalResult addActions(StagePlan &plan, ModuleOp program) {
  for (auto action : plan.step.getBody().getOps<pipe::ActionOp>()) {
    FailureOr<size_t> section = sectionIndex(plan, program, action.getSection());
    if (failed(section))
      return failure();
    int64_t microbatch = action.getMicrobatch().value_or(0), copy = action.getCopy().value_or(0);
    std::string name;
    if (action.getMicrobatch())
      name = "microbatch " + std::to_string(microbatch);
    if (action.getCopy())
      name += ", copy " + std::to_string(copy);
    plan.actions.push_back(
        {*section, microbatch * int64_t(plan.step.getCopies()) + copy, action.getNumber(), name});
  }
  if (plan.actions.empty())
    return emitError(plan.step.getLoc()) << "the step has no actions";
  return success();
}

FailureOr<StagePlan> makeStagePlan(ModuleOp program) {
  auto steps = program.getOps<pipe::StepOp>();
  if (steps.empty())
    return emitError(program.getLoc()) << "expected a training step (pipe.step)";
  StagePlan plan;
  plan.step = *steps.begin();
  if (failed(addActions(plan, program)) || failed(checkSections(plan)) || failed(checkSaved(plan)))
    return failure();
  if (program.lookupSymbol<func::FuncOp>(pipe::startName)) {
    FailureOr<Section> start = Section::find(program, pipe::startName);
    if (failed(start) || failed(checkStart(plan, *start)))
      return failure();
    plan.start = *start;
  }
  return plan;
}

/// Checks that all stages work on the same microbatches.
LogicalResult checkSteps(StepPlan &plan) {
  pipe::StepOp first = plan.stages.front().step;
  for (StagePlan &stage : plan.stages)
    if (stage.step.getMicroBatches() != first.getMicroBatches() ||
        stage.step.getCopies() != first.getCopies())
      return emitError(stage.step.getLoc())
             << "expected " << first.getMicroBatches() << " microbatches of " << first.getCopies()
             << " copies as in stage 0, got " << stage.step.getMicroBatches() << " of "
             << stage.step.getCopies();
  return success();
}

} // namespace

FailureOr<StepPlan> makeStepPlan(ModuleOp module) {
  FailureOr<llvm::SmallVector<ModuleOp>> programs = findPrograms(module);
  if (failed(programs))
    return failure();
  StepPlan plan;
  for (ModuleOp program : *programs) {
    FailureOr<StagePlan> stage = makeStagePlan(program);
    if (failed(stage))
      return failure();
    plan.stages.push_back(std::move(*stage));
  }
  if (failed(checkSteps(plan)))
    return failure();
  pipe::StepOp step = plan.stages.front().step;
  plan.blocks = step.getMicroBatches() * step.getCopies();
  llvm::SmallVector<Section *> sections;
  for (StagePlan &stage : plan.stages)
    for (Section &section : stage.sections)
      sections.push_back(&section);
  plan.world = makeWorld(plan.stages.size(), sections);
  return plan;
}

LogicalResult checkStepValues(const StepPlan &plan, llvm::ArrayRef<NamedTensors> batches,
                              const NamedTensors &parameters) {
  auto check = [&](const Section &section, const Binding &binding) -> LogicalResult {
    bool isParameter = binding.role == graph::RoleKind::Parameter;
    if (!isParameter && binding.role != graph::RoleKind::Input)
      return success();
    Binding whole = binding;
    if (!isParameter && !whole.globalShape.empty())
      whole.globalShape[0] *= plan.blocks;
    for (const NamedTensors &values : isParameter ? llvm::ArrayRef(parameters) : batches) {
      auto value = values.find(binding.globalKey);
      if (value == values.end())
        return emitError(section.getLoc())
               << "expected a value for \"" << binding.globalKey << "\"";
      if (failed(checkShape(section, whole, value->second)))
        return failure();
    }
    return success();
  };
  for (const StagePlan &stage : plan.stages)
    for (const Section &section : stage.sections)
      for (const Binding &binding : section.signature.arguments)
        if (failed(check(section, binding)))
          return failure();
  return success();
}

pipe::StepOp findStep(ModuleOp module) {
  pipe::StepOp found;
  module.walk([&](pipe::StepOp step) {
    found = step;
    return WalkResult::interrupt();
  });
  return found;
}

std::vector<BatchInput> batchInputs(ModuleOp module) {
  std::vector<BatchInput> inputs;
  auto add = [&](pipe::StepOp step, const Binding &binding, Value argument) {
    auto known = llvm::find_if(inputs, [&](const BatchInput &input) {
      return input.binding.globalKey == binding.globalKey;
    });
    if (known == inputs.end()) {
      llvm::SmallVector<int64_t, 4> shape = binding.globalShape;
      if (!shape.empty())
        shape[0] *= step.getMicroBatches() * step.getCopies();
      known = inputs.insert(inputs.end(), {binding, {}, shape});
    }
    if (!llvm::is_contained(known->arguments, argument))
      known->arguments.push_back(argument);
  };
  module.walk([&](pipe::ActionOp action) {
    auto program = action->getParentOfType<ModuleOp>();
    auto section = program.lookupSymbol<func::FuncOp>(action.getSection());
    for (auto [binding, argument] :
         llvm::zip_equal(Signature::of(section).arguments, section.getArguments()))
      if (binding.role == graph::RoleKind::Input)
        add(action->getParentOfType<pipe::StepOp>(), binding, argument);
  });
  return inputs;
}

} // namespace pcc::interpret
