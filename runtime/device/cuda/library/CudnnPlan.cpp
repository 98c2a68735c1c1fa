// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks heuristics mode A, then the fallback mode, for at most 64 engine configurations each. An
// engine's numerical notes decide whether it is allowed. Winograd and FFT are allowed: they compute
// in f32, though in another order. The first allowed configuration that yields a plan is used.

#include "runtime/device/cuda/library/CudnnGraph.h"

#include <algorithm>

namespace pcc::runtime::cuda::dnn {
namespace {

/// Maximum number of heuristics results examined.
constexpr int64_t maxConfigs = 64;

std::vector<Descriptor> listConfigs(const Target &target, const Descriptor &graph,
                                    HeuristicsMode mode) {
  Descriptor heuristics(target.library, Kind::EngineHeuristics);
  heuristics.set(Attribute::HeuristicsOperationGraph, graph).set(Attribute::HeuristicsMode, mode);
  if (target.device)
    heuristics.set(Attribute::HeuristicsDevice, *target.device);
  heuristics.finalize();
  return heuristics.descriptors(Attribute::HeuristicsResults, Kind::EngineConfig, maxConfigs);
}

/// Returns whether an engine gives the same bits in every run and rounds no more than allowed.
/// Returns false if the engine does not say.
bool isAllowed(const Descriptor &config, bool isExact) {
  std::vector<Descriptor> engines =
      config.descriptors(Attribute::EngineConfigEngine, Kind::Engine, 1);
  if (engines.empty())
    return false;
  std::optional<std::vector<NumericalNote>> notes =
      engines[0].get<NumericalNote>(Attribute::EngineNumericalNotes, numericalNotes);
  return notes && std::none_of(notes->begin(), notes->end(), [&](NumericalNote note) {
           switch (note) {
           case NumericalNote::Nondeterministic:
           case NumericalNote::ReducedPrecisionReduction:
             return true;
           case NumericalNote::TensorCore: // TF32 for f32
           case NumericalNote::DownConvertInputs:
             return isExact;
           default:
             return false;
           }
         });
}

Descriptor makePlan(const Target &target, const Descriptor &config) {
  Descriptor plan(target.library, Kind::ExecutionPlan);
  if (target.handle)
    plan.set(Attribute::PlanHandle, target.handle);
  if (target.device)
    plan.set(Attribute::PlanDevice, *target.device);
  plan.set(Attribute::PlanEngineConfig, config).finalize();
  return plan;
}

} // namespace

Descriptor describeDevice(const Cudnn &library, const std::string &json) {
  Descriptor device(library, Kind::DeviceProperties);
  device.setAll(Attribute::DeviceJson, std::span<const char>(json)).finalize();
  return device;
}

Expected<std::shared_ptr<const Plan>> Plan::make(const Target &target, Graph graph, bool isExact) {
  Descriptor whole = graph.finish(target.handle);
  if (!whole.status().ok())
    return whole.status();
  Status reason = Status::unavailable(
      "cuDNN has no deterministic engine of the required precision for this operation");
  for (HeuristicsMode mode : {HeuristicsMode::A, HeuristicsMode::Fallback})
    for (const Descriptor &config : listConfigs(target, whole, mode)) {
      if (!isAllowed(config, isExact))
        continue;
      Descriptor plan = makePlan(target, config);
      std::optional<std::vector<int64_t>> bytes =
          plan.get<int64_t>(Attribute::PlanWorkspaceSize, 1);
      if (bytes && !bytes->empty())
        return std::shared_ptr<const Plan>(std::make_shared<Plan>(
            std::move(graph), std::move(whole), std::move(plan), bytes->front()));
      reason = plan.status().ok()
                   ? Status::unavailable("cuDNN does not say how much workspace its plan needs")
                   : plan.status();
    }
  return reason;
}

} // namespace pcc::runtime::cuda::dnn
