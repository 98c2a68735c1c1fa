// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/interpret/training/Training.h"

#include "compiler/interpret/function/Holders.h"
#include "compiler/interpret/training/RankTraining.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Joins the values of the ranks after training into global values.
class Collector {
public:
  Collector(StepPlan &plan, size_t steps)
      : plan(plan), losses(steps, std::vector<NamedTensors>(plan.world.getNumRanks())),
        results(plan.world.getNumRanks()), parameters(plan.world.getNumRanks()) {
    for (StagePlan &stage : plan.stages)
      for (Section &section : stage.sections)
        addHolders(section);
  }

  /// Collects a rank's values; each rank calls this function after each step.
  void afterStep(const Rank &rank, const RankTraining &training, size_t number) {
    int64_t index = rank.getIndex(), stage = rank.getStage();
    if (loss && lossStage == stage)
      losses[number][index][loss->key] = training.read(*loss);
    if (number + 1 < losses.size())
      return;
    for (const Section &section : plan.stages[stage].sections)
      for (const Binding &binding : section.signature.results)
        if (isCollected(binding))
          results[index][binding.key] = training.read(binding);
    parameters[index] = training.getParameters();
  }

  FailureOr<TrainingResult> join(Precision precision) {
    TrainingResult result;
    for (const std::vector<NamedTensors> &step : losses) {
      auto joined = lossHolders.join(step, plan.world, precision);
      if (failed(joined))
        return failure();
      if (loss)
        result.losses.push_back(joined->at(loss->globalKey));
    }
    auto joinedResults = resultHolders.join(results, plan.world, precision);
    auto joinedParameters = parameterHolders.join(parameters, plan.world, precision);
    if (failed(joinedResults) || failed(joinedParameters))
      return failure();
    result.results = std::move(*joinedResults);
    result.parameters = std::move(*joinedParameters);
    return result;
  }

private:
  /// Parameters are collected from the arguments of sections; saved values no longer exist.
  static bool isCollected(const Binding &result) {
    return result.role != graph::RoleKind::Parameter && result.role != graph::RoleKind::Saved;
  }

  void addHolders(Section &section) {
    for (const Binding &binding : section.signature.results) {
      if (isCollected(binding))
        resultHolders.add(section, binding);
      if (binding.role == graph::RoleKind::Loss && !loss) {
        loss = &binding;
        lossStage = section.stage;
        lossHolders.add(section, binding);
      }
    }
    for (const Binding &binding : section.signature.arguments)
      if (binding.role == graph::RoleKind::Parameter)
        parameterHolders.add(section, binding);
  }

  StepPlan &plan;
  const Binding *loss = nullptr; ///< first result of role loss
  int64_t lossStage = 0;
  Holders lossHolders, resultHolders, parameterHolders;
  std::vector<std::vector<NamedTensors>> losses; ///< [step][rank]
  std::vector<NamedTensors> results, parameters; ///< [rank]
};

} // namespace

FailureOr<TrainingResult> runTraining(ModuleOp module, llvm::ArrayRef<NamedTensors> batches,
                                      const NamedTensors &parameters, const RunOptions &options) {
  FailureOr<StepPlan> plan = makeStepPlan(module);
  if (failed(plan) || failed(checkStepValues(*plan, batches, parameters)))
    return failure();
  Collector collector(*plan, batches.size());
  LogicalResult ran =
      runRanks(plan->world, options.precision, plan->getLoc(), [&](Rank &rank) -> LogicalResult {
        RankTraining training(*plan, rank, options);
        if (failed(training.begin(parameters)))
          return failure();
        for (auto [number, batch] : llvm::enumerate(batches)) {
          if (failed(training.runStep(batch, number)))
            return failure();
          collector.afterStep(rank, training, number);
        }
        return success();
      });
  if (failed(ran))
    return failure();
  return collector.join(options.precision);
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
