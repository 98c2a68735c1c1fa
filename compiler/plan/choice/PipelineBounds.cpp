// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer times come from a clone of the model whose batch is split, and are cached by the number of
// microbatches.
#include "compiler/plan/choice/PipelineBounds.h"

#include "compiler/plan/layers/RepeatedLayers.h"
#include "dialects/graph/Roles.h"
#include "mlir/Pass/PassManager.h"
#include "passes/graph/Passes.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace pcc::plan {
namespace {

constexpr int64_t microbatchesPerStage = 8;

/// Returns the function that is cut into stages; null if there is none.
func::FuncOp findForward(ModuleOp model) {
  auto forward = model.lookupSymbol<func::FuncOp>("forward");
  return forward && forward.getBody().hasOneBlock() ? forward : nullptr;
}

/// Returns the greatest common divisor of dimension 0 of all inputs; 0 if no input has a known
/// size.
int64_t findBatch(func::FuncOp forward) {
  int64_t batch = 0;
  for (unsigned index : graph::findArgs(forward, graph::RoleKind::Input))
    if (auto type = dyn_cast<RankedTensorType>(forward.getArgumentTypes()[index]);
        type && type.hasStaticShape() && type.getRank() > 0)
      batch = std::gcd(batch, type.getDimSize(0));
  return batch;
}

int64_t countRepeated(ArrayRef<ChainLayer> layers) {
  llvm::StringMap<int64_t> counts;
  for (const ChainLayer &layer : layers)
    ++counts[describeWork(layer)];
  int64_t repeated = 0;
  for (const auto &entry : counts)
    repeated += entry.second > 1 ? entry.second : 0;
  return repeated;
}

} // namespace

PipelineBounds::PipelineBounds(ModuleOp model, int64_t devices, LayerCostOptions given)
    : model(model), devices(devices), options(std::move(given)) {
  options.ranks = 1;
  options.isReplicated = false;
  func::FuncOp forward = findForward(model);
  if (!forward)
    return;
  batch = findBatch(forward);
  std::vector<ChainLayer> chain = findLayers(forward, /*wanted=*/1);
  layers = int64_t(chain.size());
  repeatedLayers = countRepeated(chain);
}

std::vector<int64_t> PipelineBounds::listMicrobatches(int64_t copies, int stages,
                                                      const PipelineLimits &limits) const {
  int64_t most = limits.microbatches > 0 ? limits.microbatches : microbatchesPerStage * stages;
  std::vector<int64_t> counts;
  for (int64_t count = 1; count <= std::min(most, batch / copies); ++count)
    if (batch % (count * copies) == 0)
      counts.push_back(count);
  return counts;
}

std::vector<int> PipelineBounds::listChunks(int stages, const PipelineLimits &limits) const {
  int64_t most = std::max<int64_t>(1, std::min<int64_t>(limits.chunks, layers / stages));
  std::vector<int> counts;
  for (int count = 1; count <= most; ++count)
    if (count <= 2 || repeatedLayers % (int64_t(count) * stages) == 0)
      counts.push_back(count);
  return counts;
}

const MicrobatchCost &PipelineBounds::getMicrobatch(int64_t microbatches) {
  auto [known, isNew] = costs.try_emplace(microbatches);
  if (!isNew || !findForward(model) || batch == 0 || batch % microbatches != 0)
    return known->second;
  // Compiling the model reports its errors; this estimate stays silent.
  ScopedDiagnosticHandler quiet(model.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> part = model.clone();
  PassManager passes(model.getContext());
  passes.addNestedPass<func::FuncOp>(graph::createGraphSplitBatch({microbatches}));
  if (failed(passes.run(*part)))
    return known->second;
  func::FuncOp forward = findForward(*part);
  FailureOr<LayerCosts> estimated =
      estimateLayerCosts(*part, forward, findLayers(forward, /*wanted=*/1), options);
  if (failed(estimated))
    return known->second;
  known->second.multiplying = estimated->multiplying;
  known->second.launching = estimated->launching;
  known->second.moving = estimated->moving;
  for (const stages::Layer &layer : estimated->layers) {
    known->second.seconds += layer.time;
    known->second.liveBytes += layer.live;
    known->second.heldBytes += layer.held;
  }
  known->second.layers = std::move(estimated->layers);
  return known->second;
}

double PipelineBounds::boundSeconds(const PipelineCut &cut) {
  double m = double(cut.microbatches), p = cut.stages;
  const MicrobatchCost &cost = getMicrobatch(cut.microbatches);
  double work = (cost.multiplying + cost.moving) / double(devices) + cost.launching / p;
  bool fillsInOrder = cut.chunks == 1 && !cut.splitsBackward;
  return fillsInOrder ? work * p / (1 - std::pow(1 - 1 / m, p)) : work * m;
}

} // namespace pcc::plan
