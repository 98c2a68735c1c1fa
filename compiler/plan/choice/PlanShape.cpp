// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the shapes whose numbers are divisors: stages divide the devices, tensor parallel ranks
// divide the devices of a stage and of a box, and microbatches divide the batch.
#include "compiler/plan/choice/PlanShape.h"

#include "passes/solve/order/Schedule.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

namespace pcc::plan {

std::vector<int64_t> listDivisors(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 1; divisor <= number; ++divisor)
    if (number % divisor == 0)
      divisors.push_back(divisor);
  return divisors;
}

namespace {

constexpr int maxOptimizerLevel = 3;
constexpr int maxVirtualStages = 4;

const char *describeOptimizer(int level) {
  switch (level) {
  case 1:
    return "optimizer states";
  case 2:
    return "optimizer states and gradients";
  default:
    return "optimizer states, gradients and parameters";
  }
}

/// Adds `shape`, which has schedule 1f1b, and the shapes that differ from it in schedule and
/// virtual stages.
void addSchedules(PlanShape shape, const PlanSpace &space, std::vector<PlanShape> &shapes) {
  shapes.push_back(shape);
  if (shape.stages == 1)
    return;
  for (const order::Schedule &schedule : order::listSchedules())
    for (int chunks = 1; chunks <= maxVirtualStages; ++chunks) {
      order::PipelineShape pipeline{shape.stages, shape.microbatches, chunks, schedule.placement};
      shape.schedule = schedule.name;
      shape.virtualStages = chunks;
      bool hasLayers = int64_t(chunks) * shape.stages <= space.layers;
      if (schedule.name != "gpipe" && schedule.name != "1f1b" && hasLayers &&
          schedule.findViolation(pipeline).empty())
        shapes.push_back(shape);
    }
}

/// Adds the shapes with the grid of `grid`, for every number of microbatches, optimizer level and
/// schedule.
void addShapes(PlanShape grid, const PlanSpace &space, std::vector<PlanShape> &shapes) {
  int64_t data = grid.isSearched ? 1 : grid.getDataParallel(space.devices);
  // A search shards gradients and parameters by itself.
  int levels = !space.trains ? 0 : grid.isSearched ? 1 : maxOptimizerLevel;
  if (!grid.isSearched) {
    grid.optimizerWays = space.cuts.countWays(data);
    if (grid.optimizerWays == 1)
      levels = 0;
  }
  for (int64_t microbatches : listDivisors(space.batch)) {
    if (microbatches < grid.stages || space.batch / microbatches % data != 0)
      continue;
    grid.microbatches = microbatches;
    for (grid.optimizerLevel = 0; grid.optimizerLevel <= levels; ++grid.optimizerLevel)
      addSchedules(grid, space, shapes);
  }
}

} // namespace

std::string PlanShape::describe(int64_t devices) const {
  std::string text;
  if (stages > 1)
    text = llvm::formatv("{0} stages x ", stages);
  if (isSearched)
    text += "searched shardings";
  else
    text += llvm::formatv("DP {0} x TP {1}", getDataParallel(devices), tensorParallel);
  if (optimizerLevel > 0 && isSearched)
    text += llvm::formatv(", {0} cut", describeOptimizer(optimizerLevel));
  else if (optimizerLevel > 0)
    text += llvm::formatv(", {0} cut {1} ways", describeOptimizer(optimizerLevel),
                          optimizerWays > 0 ? optimizerWays : getDataParallel(devices));
  if (microbatches > 1)
    text += llvm::formatv(", {0} microbatches", microbatches);
  if (stages > 1)
    text += ", " + schedule;
  if (virtualStages > 1)
    text += llvm::formatv(", {0} virtual stages each", virtualStages);
  return text;
}

std::vector<PlanShape> listPlanShapes(const PlanSpace &space) {
  std::vector<PlanShape> shapes;
  for (int64_t stages : listDivisors(space.devices)) {
    if (stages > maxStages || stages > space.layers)
      continue;
    PlanShape grid;
    grid.stages = int(stages);
    for (int64_t tensor : listDivisors(std::gcd(space.devices / stages, space.devicesOfBox))) {
      if (tensor > 1 && !space.hasTensorParallel)
        continue;
      grid.tensorParallel = tensor;
      addShapes(grid, space, shapes);
    }
    grid.tensorParallel = 1;
    grid.isSearched = true;
    if (space.devices > stages)
      addShapes(grid, space, shapes);
  }
  return shapes;
}

} // namespace pcc::plan
