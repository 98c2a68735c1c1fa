// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics of a candidate are dropped, but the first error is its reason. Without a machine
// description, candidates are simulated on this machine.
#include "compiler/search/SimulatedProgram.h"

#include "compiler/import/files/Locations.h"
#include "compiler/plan/Passes.h"
#include "compiler/search/CompileProgram.h"
#include "runtime/machine/Cluster.h"
#include "runtime/simulate/Peak.h"

using namespace mlir;

namespace pcc::search {

int64_t getPeakBytes(const simulate::Simulation &step) {
  return int64_t(simulate::findPeakTimeline(step).memory.planned);
}

/// Returns the seconds to recompute each part of a compiled model; empty if they are not listed.
static SmallVector<double> readPartSeconds(ModuleOp module) {
  SmallVector<double> seconds;
  if (auto parts = module->getAttrOfType<ArrayAttr>(plan::partSecondsAttrName))
    for (auto part : parts.getAsRange<FloatAttr>())
      seconds.push_back(part.getValueAsDouble());
  return seconds;
}

SimulatedProgram simulateProgram(ModuleOp model, const CompileOptions &options) {
  SimulatedProgram simulated;
  import::FirstError error(model.getContext());
  OwningOpRef<ModuleOp> module = model.clone();
  FailureOr<abi::Executable> program = compileInstructions(*module, options);
  if (failed(program)) {
    simulated.error = error.describe();
    return simulated;
  }
  abi::Expected<simulate::Simulation> step = simulate::simulate(*program, *options.cluster);
  if (!step) {
    simulated.error = step.status().message();
    return simulated;
  }
  simulated.program = std::move(*program);
  simulated.step = std::move(*step);
  simulated.partSeconds = readPartSeconds(*module);
  return simulated;
}

CompileOptions makeSimulationOptions(CompileOptions options) {
  if (!options.cluster)
    options.cluster = *machine::parseCluster("", options.parallel.device_num());
  options.observe = nullptr;
  options.verifiesPasses = false;
  options.receiveStrategy = nullptr;
  options.parallel.clear_strategy_ckpt_save_file();
  options.parallel.clear_group_ckpt_save_file();
  if (!options.recomputedParts)
    options.recomputedParts.emplace();
  return options;
}

} // namespace pcc::search
