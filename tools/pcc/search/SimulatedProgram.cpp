// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/search/SimulatedProgram.h"

#include "compiler/import/files/Locations.h"
#include "compiler/link/Link.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/report/MemoryProfile.h"

using namespace mlir;

namespace pcc::cli {

int64_t SimulatedProgram::peakBytes() const {
  return int64_t(findPeakTimeline(step).memory.planned);
}

SimulatedProgram simulateProgram(ModuleOp model, const CompileOptions &options) {
  SimulatedProgram simulated;
  import::FirstError error(model.getContext());
  OwningOpRef<ModuleOp> module = model.clone();
  FailureOr<abi::Executable> program = failure();
  if (succeeded(runPhases(*module, options, CompilePhase::Task)))
    program = link::linkInstructions(*module);
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
  options.parallel.clear_strategy_ckpt_save_file();
  return options;
}

int64_t getMemoryLimit(const CompileOptions &options) {
  int64_t limit = options.parallel.memory_limit();
  return limit > 0 ? limit : int64_t(options.cluster->device().memory_bytes().value());
}

} // namespace pcc::cli
