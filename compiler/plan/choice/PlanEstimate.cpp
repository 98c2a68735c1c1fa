// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/PlanEstimate.h"

#include "compiler/plan/layers/KeptMicrobatches.h"
#include "compiler/plan/layers/LayerChain.h"
#include "dialects/graph/Graph.h"
#include "passes/analysis/ElementTypes.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/solve/order/Clock.h"
#include "passes/solve/order/Schedule.h"
#include "runtime/machine/CollectiveCost.h"
#include "runtime/machine/Roofline.h"
#include <numeric>

using namespace mlir;

namespace pcc::plan {

FittedEstimate fitEstimate(const PlanEstimate &estimate, int64_t memory, double secondsFactor,
                           double bytesFactor) {
  constexpr double forwardAgain = 1.0 / 3; // of the step, if the whole forward pass runs again
  double limit = double(memory), bytes = bytesFactor * estimate.bytes;
  double seconds = secondsFactor * estimate.seconds;
  if (bytes <= limit)
    return {0, seconds, bytes};
  double least = std::min(bytesFactor * estimate.minBytes, bytes);
  double recomputed = bytes > least ? std::min(1.0, (bytes - limit) / (bytes - least)) : 1;
  return {std::max(least - limit, 0.0), seconds * (1 + forwardAgain * recomputed),
          std::max(least, limit)};
}

std::vector<int64_t> rankFronts(llvm::ArrayRef<FittedEstimate> estimates) {
  std::vector<size_t> byTime(estimates.size());
  std::iota(byTime.begin(), byTime.end(), size_t(0));
  llvm::stable_sort(byTime, [&](size_t a, size_t b) {
    return std::pair(estimates[a].seconds, estimates[a].bytes) <
           std::pair(estimates[b].seconds, estimates[b].bytes);
  });
  // In ascending order of time, a front beats an estimate if one of its members needs no more
  // bytes.
  std::vector<int64_t> ranks(estimates.size());
  std::vector<double> minBytes;
  for (size_t i : byTime) {
    double bytes = estimates[i].bytes;
    auto front = llvm::find_if(minBytes, [&](double least) { return bytes < least; });
    ranks[i] = front - minBytes.begin();
    if (front == minBytes.end())
      minBytes.push_back(bytes);
    else
      *front = bytes;
  }
  return ranks;
}

PlanEstimator::PlanEstimator(ModuleOp model, PipelineBounds &bounds, const abi::Cluster &cluster,
                             const PlanSpace &space, int64_t memory)
    : bounds(bounds), cluster(cluster), space(space), memory(memory) {
  model.walk([&](graph::ParameterOp parameter) {
    RankedTensorType type = parameter.getTensorType();
    parameterBytes += double(analysis::getNumBytes(type));
    if (parameter.getTrainable())
      gradientBytes += 4.0 * double(type.getNumElements());
  });
  if (auto forward = model.lookupSymbol<func::FuncOp>("forward"))
    for (const ChainLayer &layer : findLayers(forward, /*wanted=*/1))
      for (Value value : layer.crossing)
        crossingBytes += double(analysis::getNumBytes(value.getType()));
}

double PlanEstimator::getCollectiveSeconds(abi::CollectiveKind kind, double bytes, int64_t members,
                                           int64_t stride) const {
  machine::GroupAxis axis{members, stride};
  return machine::estimateCollectiveCost(cluster, machine::GroupLayout::over({&axis, 1}, cluster),
                                         {kind, bytes})
      .seconds;
}

const PlanEstimator::BalancedStages &PlanEstimator::getBalanced(int64_t parts, int stages) {
  auto [known, isNew] = balanced.try_emplace({parts, stages});
  BalancedStages &result = known->second;
  if (!isNew)
    return result;
  const MicrobatchCost &cost = bounds.getMicrobatch(parts);
  result.seconds = cost.seconds / stages;
  result.liveBytes.assign(stages, double(cost.liveBytes) / stages);
  result.heldShare.assign(stages, 1.0 / stages);
  stages::StageProblem problem;
  problem.stages = stages;
  problem.microbatches.assign(size_t(stages), 1);
  for (const stages::Layer &layer : cost.layers)
    problem.layers.push_back({.time = layer.time});
  if (stages == 1 || size_t(stages) > problem.layers.size())
    return result;
  std::vector<int> cuts = stages::balance(problem).cuts;
  result.seconds = stages::verify(problem, cuts).slowest;
  for (int stage = 0; stage < stages; ++stage) {
    size_t end = stage + 1 < stages ? cuts[stage + 1] : cost.layers.size();
    result.liveBytes[stage] = result.heldShare[stage] = 0;
    for (size_t layer = cuts[stage]; layer < end; ++layer) {
      result.liveBytes[stage] += double(cost.layers[layer].live);
      if (cost.heldBytes > 0)
        result.heldShare[stage] += double(cost.layers[layer].held) / double(cost.heldBytes);
    }
  }
  return result;
}

/// The idle time of a schedule no longer depends on the number of microbatches when there are many.
const PlanEstimator::Idle &PlanEstimator::getIdle(const PlanShape &shape) {
  static const Idle none;
  if (shape.stages == 1)
    return none;
  constexpr int64_t manyPerStage = 4;
  int64_t microbatches = std::min(shape.microbatches, manyPerStage * shape.stages);
  auto [known, isNew] =
      idles.try_emplace({shape.schedule, shape.virtualStages, shape.stages, microbatches});
  if (!isNew)
    return known->second;
  const order::Schedule &schedule = *order::findSchedule(shape.schedule);
  order::PipelineShape pipeline{shape.stages, microbatches, shape.virtualStages,
                                schedule.placement};
  double third = 1.0 / (3 * shape.virtualStages); // forward, and two kinds of gradients
  auto times = order::PipelineTimes::uniform(pipeline, {third, third, third});
  order::Order order = schedule.expand(pipeline, times);
  known->second.microbatches = order::run(pipeline, order, times).end - double(microbatches);
  known->second.kept.assign(pipeline.devices, {});
  for (auto [stage, live] : llvm::enumerate(order::countLive(pipeline, order)))
    known->second.kept[pipeline.deviceOf(int(stage))].emplace_back(int(stage), countKept(live));
  return known->second;
}

PlanEstimate PlanEstimator::estimate(const PlanShape &shape) {
  if (!shape.isSearched)
    return estimateGrid(shape, shape.tensorParallel);
  int64_t ranks = space.devices / shape.stages, rows = space.batch / shape.microbatches;
  PlanEstimate best = estimateSequences(shape);
  for (int64_t tensor : listDivisors(std::gcd(ranks, space.devicesOfBox)))
    if (rows % (ranks / tensor) == 0)
      if (PlanEstimate grid = estimateGrid(shape, tensor);
          fitEstimate(grid, memory) < fitEstimate(best, memory))
        best = grid;
  return best;
}

PlanEstimate PlanEstimator::estimateSequences(const PlanShape &shape) {
  double m = double(shape.microbatches);
  int64_t ranks = space.devices / shape.stages;
  PlanEstimate estimate = estimateGrid(shape, /*tensor=*/1);
  estimate.seconds +=
      4 * m *
      getCollectiveSeconds(abi::ALL_TO_ALL, crossingBytes / (double(space.devices) * m), ranks,
                           /*stride=*/1);
  return estimate;
}

/// Returns the seconds for which data parallel ranks wait for gradients and parameters. A
/// microbatch of `work` seconds is computed forward in a third of them, and backward in the rest.
static double getExposedSeconds(int level, double microbatches, double work,
                                function_ref<double(abi::CollectiveKind)> secondsOf) {
  auto beyond = [](double seconds, double hidden) { return std::max(seconds - hidden, 0.0); };
  double forward = work / 3, backward = work - forward;
  if (level == 0)
    return beyond(secondsOf(abi::ALL_REDUCE), backward);
  double reduce = secondsOf(abi::REDUCE_SCATTER), gather = secondsOf(abi::ALL_GATHER);
  if (level < 3)
    return (level == 2 ? microbatches : 1) * beyond(reduce, backward) + gather;
  return microbatches * (beyond(gather, forward) + beyond(reduce + gather, backward));
}

PlanEstimate PlanEstimator::estimateGrid(const PlanShape &shape, int64_t tensor) {
  double p = shape.stages, m = double(shape.microbatches), t = double(tensor);
  int64_t data = space.devices / shape.stages / tensor;
  // Ranks divide the samples of a microbatch, and what is left among them divides each op.
  int64_t parts = shape.microbatches * std::gcd(space.batch / shape.microbatches, data);
  double ofOp = t * m * double(data) / double(parts);
  const MicrobatchCost &microbatch = bounds.getMicrobatch(parts);
  double launching = microbatch.launching / p;
  const Idle &idle = getIdle(shape);
  PlanEstimate estimate;
  double computing = getBalanced(parts, shape.stages).seconds;
  double ofMicrobatch = (computing - launching) / ofOp + launching;
  estimate.seconds = ofMicrobatch * (m + idle.microbatches);

  double activations = crossingBytes / (p * m * double(data));
  estimate.seconds +=
      2 * m * getCollectiveSeconds(abi::ALL_REDUCE, activations, tensor, /*stride=*/1);
  double gradients = gradientBytes / (p * t), parameters = parameterBytes / (p * t);
  auto cut = [&](double bytes, int level) {
    return shape.optimizerLevel >= level ? bytes * space.cuts.getShare(data) : bytes;
  };
  constexpr double accesses = 3; // of a gradient, and of its sum before and after
  if (shape.microbatches > 1)
    estimate.seconds += accesses * m * cut(gradients, 2) / machine::memoryRate(cluster.device());
  estimate.seconds += getExposedSeconds(shape.optimizerLevel, m, ofMicrobatch, [&](auto kind) {
    double bytes = kind == abi::ALL_GATHER ? parameters : gradients;
    return getCollectiveSeconds(kind, bytes, data, tensor);
  });

  double states = (double(microbatch.heldBytes) - parameterBytes - gradientBytes) / (p * t);
  double held = cut(parameters, 3) + cut(gradients, 2) + cut(states, 1);
  constexpr double perLayer = 2; // values of the residual stream
  int virtualStages = shape.stages * shape.virtualStages;
  const BalancedStages &stages = getBalanced(parts, virtualStages);
  double crossing = activations / shape.virtualStages;
  double repeated = shape.isSearched ? 0 : perLayer * crossing * (1 - 1 / t);
  for (const auto &device : idle.kept) { // the one that keeps most counts
    double bytes = 0, least = 0;
    for (auto [stage, kept] : device) {
      double ownHeld = stages.heldShare[stage] * p * held;
      bytes += ownHeld + kept * (stages.liveBytes[stage] / ofOp + repeated);
      least += ownHeld + kept * crossing;
    }
    estimate.bytes = std::max(estimate.bytes, bytes);
    estimate.minBytes = std::max(estimate.minBytes, least);
  }
  return estimate;
}

} // namespace pcc::plan
