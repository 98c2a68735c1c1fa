// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/search/SimulatedProgram.h"

#include "compiler/import/files/Locations.h"
#include "compiler/search/CompileProgram.h"
#include "runtime/machine/Cluster.h"
#include "runtime/simulate/Peak.h"

using namespace mlir;

namespace pcc::search {

int64_t SimulatedProgram::getPeakBytes() const {
  return int64_t(simulate::findPeakTimeline(step).memory.planned);
}

SimulatedProgram simulateProgram(ModuleOp model, const CompileOptions &options) {
  SimulatedProgram simulated;
  import::FirstError error(model.getContext());
  OwningOpRef<ModuleOp> module = model.clone();
  FailureOr<abi::Executable> program = compileInstructions(*module, options);
  if (failed(program)) {
    simulated.error = error.str().empty() ? "compilation failed without a diagnostic" : error.str();
    return simulated;
  }
  abi::Expected<simulate::Simulation> step = simulate::simulate(*program, *options.cluster);
  if (!step) {
    simulated.error = step.status().message();
    return simulated;
  }
  simulated.program = std::move(*program);
  simulated.step = std::move(*step);
  return simulated;
}

CompileOptions makeSimulationOptions(CompileOptions options) {
  if (!options.cluster)
    options.cluster = *machine::parseCluster("", options.parallel.device_num());
  options.observe = nullptr;
  options.observeSearch = nullptr;
  options.observeMemorySearch = nullptr;
  options.observeNoStages = nullptr;
  options.parallel.clear_strategy_ckpt_save_file();
  if (!options.recomputedParts)
    options.recomputedParts.emplace();
  return options;
}

} // namespace pcc::search
