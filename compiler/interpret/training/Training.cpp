// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RankTraining runs the actions of one rank; Collector joins the values of all ranks. Sums are
// accumulated in f32 without their scale, which is applied when a sum is read. A saved value is
// dropped after its last reader.
#include "compiler/interpret/training/Training.h"

#include "compiler/interpret/function/Holders.h"
#include "compiler/interpret/rank/Blocks.h"
#include "compiler/interpret/training/StepPlan.h"
#include "compiler/values/Compute.h"
#include "compiler/values/Map.h"
#include "compiler/values/TensorAttr.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

//===--- One rank --------------------------------------------------------===//

/// Runs one rank's part of training steps.
class RankTraining {
public:
  RankTraining(StepPlan &step, Rank &rank, const RunOptions &options)
      : plan(step.stages[rank.getStage()]), blocks(step.blocks), rank(rank), options(options) {}

  /// Takes this rank's parts of the parameters, and runs the section that precedes the first step.
  mlir::LogicalResult begin(const NamedTensors &globals);

  /// Runs all actions of this rank's stage in step number `number` on a global batch.
  mlir::LogicalResult runStep(const NamedTensors &batch, int64_t number);

  /// Returns the value of a result after a step, as the update reads it.
  Tensor read(const Binding &binding) const;

  const NamedTensors &getParameters() const { return parameters; }

private:
  mlir::FailureOr<Tensor> argument(const Action &action, const Binding &binding,
                                   const NamedTensors &batch, int64_t number);
  mlir::FailureOr<Tensor> takeSaved(const Action &action, const Binding &binding);
  mlir::LogicalResult failMissing(const Action &action, const Binding &binding);
  Tensor readSum(const std::string &key, double scale, ElementType type) const;
  void keep(const Binding &binding, const Tensor &value, int64_t number);
  void accumulate(Tensor &sum, const Tensor &term);

  /// A saved value of one action, kept until its last reader has run.
  struct Saved {
    Tensor value;
    int64_t readers; ///< remaining readers
  };

  StagePlan &plan;
  int64_t blocks; ///< of a global batch
  Rank &rank;
  const RunOptions &options;
  NamedTensors parameters;
  std::map<std::pair<std::string, int64_t>, Saved> saved; ///< by key and action number
  NamedTensors sums;                    ///< of accumulated results, in f32, not scaled
  std::map<std::string, double> scales; ///< of the sums
  NamedTensors outputs;                 ///< other results, from the last action that returned them
};

/// Returns block number `block` of the rows of a global batch that is cut into `blocks` blocks.
Tensor rowsOf(const Tensor &batch, int64_t block, int64_t blocks) {
  llvm::SmallVector<int64_t, 4> shape(batch.getShape()), offset(batch.getRank(), 0);
  if (shape.empty())
    return batch;
  shape[0] /= blocks;
  offset[0] = block * shape[0];
  return extractBox(batch, offset, shape);
}

LogicalResult RankTraining::begin(const NamedTensors &globals) {
  for (Section &section : plan.sections)
    for (const Binding &binding : section.signature.arguments)
      if (binding.role == graph::RoleKind::Parameter && !parameters.count(binding.key))
        parameters[binding.key] = section.localPart(binding, globals.at(binding.globalKey), rank);
  if (!plan.start)
    return success();
  llvm::SmallVector<Tensor> arguments;
  for (const Binding &binding : plan.start->signature.arguments)
    arguments.push_back(parameters.at(binding.key));
  auto results = plan.start->call(rank, arguments, options);
  if (failed(results))
    return failure();
  for (auto [binding, value] : llvm::zip_equal(plan.start->signature.results, *results))
    keep(binding, value, /*number=*/0);
  return success();
}

LogicalResult RankTraining::runStep(const NamedTensors &batch, int64_t number) {
  sums.clear();
  outputs.clear();
  for (const Action &action : plan.actions) {
    Section &section = plan.sections[action.section];
    rank.beginAction(action.name);
    llvm::SmallVector<Tensor> arguments;
    for (const Binding &binding : section.signature.arguments) {
      FailureOr<Tensor> value = argument(action, binding, batch, number);
      if (failed(value))
        return failure();
      arguments.push_back(*value);
    }
    auto results = section.call(rank, arguments, options);
    if (failed(results))
      return failure();
    for (auto [binding, value] : llvm::zip_equal(section.signature.results, *results))
      keep(binding, value, action.number);
  }
  return success();
}

Tensor RankTraining::read(const Binding &binding) const {
  if (!binding.accumulateScale)
    return outputs.at(binding.key);
  return readSum(binding.key, *binding.accumulateScale,
                 *elementTypeOf(binding.type.getElementType()));
}

FailureOr<Tensor> RankTraining::argument(const Action &action, const Binding &binding,
                                         const NamedTensors &batch, int64_t number) {
  const Section &section = plan.sections[action.section];
  if (binding.role == graph::RoleKind::Input)
    return section.localPart(
        binding, rowsOf(batch.at(binding.globalKey), action.block + binding.copy, blocks), rank);
  if (binding.role == graph::RoleKind::Parameter)
    return parameters.at(binding.key);
  if (binding.role == graph::RoleKind::Step)
    return Tensor::integers(ElementType::I64, {},
                            {number * plan.runsOf(action.section) + action.number});
  if (binding.role == graph::RoleKind::Saved)
    return takeSaved(action, binding);
  bool isSum = binding.role == graph::RoleKind::Gradient || binding.role == graph::RoleKind::Loss;
  if (isSum && sums.count(binding.key))
    return readSum(binding.key, binding.ownScale ? 1.0 : scales.at(binding.key),
                   *elementTypeOf(binding.type.getElementType()));
  return failMissing(action, binding);
}

/// Returns a saved value, and drops it after its last reader.
FailureOr<Tensor> RankTraining::takeSaved(const Action &action, const Binding &binding) {
  auto entry = saved.find({binding.globalKey, action.number});
  if (entry == saved.end())
    return failMissing(action, binding);
  Tensor value = entry->second.value;
  if (--entry->second.readers == 0)
    saved.erase(entry);
  return value;
}

LogicalResult RankTraining::failMissing(const Action &action, const Binding &binding) {
  std::string of = action.name.empty() ? "" : " of " + action.name;
  return rank.fail(plan.step.getLoc(), "no action before \"" +
                                           plan.sections[action.section].getName() + "\"" + of +
                                           " returns \"" + binding.key + "\"");
}

Tensor RankTraining::readSum(const std::string &key, double scale, ElementType type) const {
  const Tensor &sum = sums.at(key);
  return generate(type, sum.getShape(), [&](int64_t n) { return Element{.f = sum[n].f * scale}; })
      .rounded(options.precision);
}

void RankTraining::keep(const Binding &binding, const Tensor &value, int64_t number) {
  if (binding.accumulateScale) {
    scales[binding.key] = *binding.accumulateScale;
    accumulate(sums[binding.key], value);
  } else if (binding.role == graph::RoleKind::Parameter) {
    parameters[binding.key] = value;
  } else if (binding.role == graph::RoleKind::Saved) {
    if (auto readers = plan.readers.find(binding.globalKey); readers != plan.readers.end())
      saved[{binding.globalKey, number}] = {value, readers->second};
  } else {
    outputs[binding.key] = value;
  }
}

/// Accumulates terms of f64 in f64, and all others in f32.
void RankTraining::accumulate(Tensor &sum, const Tensor &term) {
  ElementType type = term.getType() == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  Tensor wide = generate(type, term.getShape(), [&](int64_t n) { return term[n]; });
  sum = sum.hasValue() ? combine(ReduceKind::Sum, {sum, wide}).rounded(options.precision) : wide;
}

//===--- All ranks -------------------------------------------------------===//

/// Joins the values of the ranks after training into global values.
class Collector {
public:
  Collector(StepPlan &plan, size_t steps)
      : plan(plan), losses(steps, std::vector<NamedTensors>(plan.world.getNumRanks())),
        results(plan.world.getNumRanks()), parameters(plan.world.getNumRanks()) {
    for (StagePlan &stage : plan.stages)
      for (Section &section : stage.sections)
        addHolders(section);
    findLoss();
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
    for (const Binding &binding : section.signature.results)
      if (isCollected(binding))
        resultHolders.add(section, binding);
    for (const Binding &binding : section.signature.arguments)
      if (binding.role == graph::RoleKind::Parameter)
        parameterHolders.add(section, binding);
  }

  /// Finds the first loss of the forward sections, or that of the update, which replaces it.
  void findLoss() {
    Section *holder = nullptr;
    for (StagePlan &stage : plan.stages)
      for (Section &section : stage.sections)
        for (const Binding &binding : section.signature.results)
          if (binding.role == graph::RoleKind::Loss && (!loss || !binding.accumulateScale)) {
            loss = &binding;
            holder = &section;
          }
    if (!loss)
      return;
    lossStage = holder->stage;
    lossHolders.add(*holder, *loss);
  }

  StepPlan &plan;
  const Binding *loss = nullptr; ///< the result with the loss of the batch
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

} // namespace pcc::interpret
