// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/PricedRecords.h"

#include "compiler/import/Locations.h"
#include "compiler/link/Link.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/Staircase.h"

using namespace mlir;

namespace pcc::cli {

int64_t PricedRecords::peakBytes() const { return int64_t(findFullest(step).memory.planned); }

PricedRecords priceRecords(ModuleOp model, const PipelineOptions &options) {
  PricedRecords priced;
  import::FirstError error(model.getContext());
  OwningOpRef<ModuleOp> module = model.clone();
  FailureOr<abi::Executable> program = failure();
  if (succeeded(runPipeline(*module, options, Stage::Task)))
    program = link::linkRecords(*module);
  if (failed(program)) {
    priced.error = error.str().empty() ? "it cannot be compiled" : error.str();
    return priced;
  }
  abi::Expected<simulate::Simulation> step = simulate::simulate(*program, *options.cluster);
  if (!step) {
    priced.error = step.status().message();
    return priced;
  }
  priced.program = std::move(*program);
  priced.step = std::move(*step);
  return priced;
}

PipelineOptions makePricedOptions(PipelineOptions options) {
  if (!options.cluster)
    options.cluster = *machine::parseCluster("", options.parallel.device_num());
  options.observe = nullptr;
  options.parallel.clear_strategy_ckpt_save_file();
  return options;
}

int64_t getMemoryLimit(const PipelineOptions &options) {
  int64_t limit = options.parallel.memory_limit();
  return limit > 0 ? limit : int64_t(options.cluster->device().memory_bytes().value());
}

} // namespace pcc::cli
