// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/interpret/Training.h"

#include "compiler/interpret/RankTraining.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Joins what the ranks hold after training into global values.
class Collector {
public:
  Collector(StepPlan &plan, TrainingResult &result)
      : plan(plan), result(result), losses(plan.ranks.getNumRanks()),
        results(plan.ranks.getNumRanks()), parameters(plan.ranks.getNumRanks()) {}

  /// Called by each rank after each step.
  void afterStep(int64_t rank, const RankTraining &training, bool isLast) {
    for (Section &section : plan.sections)
      for (const Binding &binding : section.signature.results) {
        if (binding.role == graph::RoleKind::Parameter)
          continue;
        if (binding.role == graph::RoleKind::Loss && &binding == lossBinding())
          losses[rank].push_back(training.read(binding));
        if (isLast)
          results[rank][binding.key] = training.read(binding);
      }
    if (isLast)
      parameters[rank] = training.getParameters();
  }

  LogicalResult joinAll(size_t steps) {
    const Binding *loss = lossBinding();
    for (size_t step = 0; loss && step < steps; ++step) {
      auto values = llvm::map_to_vector(losses, [step](auto &rank) { return rank[step]; });
      FailureOr<Tensor> whole = sectionOf(loss).globalValue(*loss, values, plan.ranks);
      if (failed(whole))
        return failure();
      result.losses.push_back(*whole);
    }
    for (Section &section : plan.sections)
      if (failed(joinSection(section)))
        return failure();
    return success();
  }

private:
  /// The first result of role loss, null if there is none.
  const Binding *lossBinding() {
    for (Section &section : plan.sections)
      for (const Binding &binding : section.signature.results)
        if (binding.role == graph::RoleKind::Loss)
          return &binding;
    return nullptr;
  }

  Section &sectionOf(const Binding *result) {
    for (Section &section : plan.sections)
      for (const Binding &binding : section.signature.results)
        if (&binding == result)
          return section;
    llvm_unreachable("the result is one of a section");
  }

  LogicalResult joinSection(Section &section) {
    for (const Binding &binding : section.signature.results)
      if (binding.role != graph::RoleKind::Parameter &&
          failed(joinOne(section, binding, results, result.results)))
        return failure();
    for (const Binding &binding : section.signature.arguments)
      if (binding.role == graph::RoleKind::Parameter && !result.parameters.count(binding.key) &&
          failed(joinOne(section, binding, parameters, result.parameters)))
        return failure();
    return success();
  }

  LogicalResult joinOne(Section &section, const Binding &binding,
                        llvm::ArrayRef<NamedTensors> perRank, NamedTensors &into) {
    auto values = llvm::map_to_vector(
        perRank, [&](const NamedTensors &rank) { return rank.at(binding.key); });
    FailureOr<Tensor> whole = section.globalValue(binding, values, plan.ranks);
    if (failed(whole))
      return failure();
    into[binding.key] = *whole;
    return success();
  }

  StepPlan &plan;
  TrainingResult &result;
  std::vector<std::vector<Tensor>> losses; ///< [rank][step]
  std::vector<NamedTensors> results, parameters;
};

} // namespace

FailureOr<TrainingResult> runTraining(ModuleOp module, llvm::ArrayRef<NamedTensors> batches,
                                      const NamedTensors &parameters, const RunOptions &options) {
  FailureOr<StepPlan> plan = makeStepPlan(module);
  if (failed(plan) || failed(checkStepValues(*plan, batches, parameters)))
    return failure();
  TrainingResult result;
  Collector collector(*plan, result);
  LogicalResult ran = runRanks(
      plan->ranks, options.precision, plan->step.getLoc(), [&](Rank &rank) -> LogicalResult {
        RankTraining training(*plan, rank, options);
        if (failed(training.begin(parameters)))
          return failure();
        for (auto [number, batch] : llvm::enumerate(batches)) {
          if (failed(training.runStep(batch, number)))
            return failure();
          collector.afterStep(rank.getIndex(), training, number + 1 == batches.size());
        }
        return success();
      });
  if (failed(ran) || failed(collector.joinAll(batches.size())))
    return failure();
  return result;
}

pipe::StepOp findStep(ModuleOp module) {
  auto steps = module.getOps<pipe::StepOp>();
  return steps.empty() ? nullptr : *steps.begin();
}

std::vector<BatchInput> batchInputs(pipe::StepOp step) {
  std::vector<BatchInput> inputs;
  auto module = step->getParentOfType<ModuleOp>();
  for (auto slot : step.getBody().getOps<pipe::SlotOp>()) {
    auto section = module.lookupSymbol<func::FuncOp>(slot.getSection());
    for (auto [binding, argument] :
         llvm::zip_equal(Signature::of(section).arguments, section.getArguments())) {
      bool isKnown = llvm::any_of(
          inputs, [&](const BatchInput &input) { return input.binding.key == binding.key; });
      if (binding.role != graph::RoleKind::Input || isKnown)
        continue;
      llvm::SmallVector<int64_t, 4> shape = binding.globalShape;
      if (!shape.empty())
        shape[0] *= step.getMicroBatches() * step.getCopies();
      inputs.push_back({binding, argument, shape});
    }
  }
  return inputs;
}

} // namespace pcc::interpret
