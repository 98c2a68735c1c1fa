// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/CopySearch.h"

#include "compiler/import/Locations.h"
#include "compiler/link/Link.h"
#include "mlir/IR/Remarks.h"
#include "runtime/machine/Cluster.h"
#include "runtime/simulate/Simulate.h"

using namespace mlir;

namespace pcc::cli {

CopySearch::CopySearch(ModuleOp model, const PipelineOptions &options)
    : model(model), options(options) {
  if (!options.cluster)
    this->options.cluster = *machine::parseCluster("", options.parallel.device_num());
  // What is asked of the program that is built alone.
  this->options.observe = nullptr;
  this->options.parallel.clear_strategy_ckpt_save_file();
}

plan::CopyCandidate CopySearch::price(int64_t copies) {
  plan::CopyCandidate candidate{copies, 0, 0, ""};
  PipelineOptions own = options;
  own.training.copies = copies;
  own.parallel.set_interleave_num(int(copies));
  import::FirstError error(model.getContext());
  OwningOpRef<ModuleOp> module = model.clone();
  FailureOr<abi::Executable> program = failure();
  if (succeeded(runPipeline(*module, own, Stage::Task)))
    program = link::linkRecords(*module);
  if (failed(program)) {
    candidate.error = error.str().empty() ? "it cannot be compiled" : error.str();
    return candidate;
  }
  abi::Expected<simulate::Simulation> step = simulate::simulate(*program, *own.cluster);
  if (!step) {
    candidate.error = step.status().message();
    return candidate;
  }
  candidate.seconds = step->seconds;
  for (const simulate::Timeline &timeline : step->timelines)
    candidate.peakBytes = std::max(candidate.peakBytes, int64_t(timeline.memory.planned));
  return candidate;
}

int64_t CopySearch::getMemoryLimit() const {
  int64_t limit = options.parallel.memory_limit();
  return limit > 0 ? limit : int64_t(options.cluster->device().memory_bytes().value());
}

void remarkChoice(Location location, llvm::ArrayRef<plan::CopyCandidate> candidates,
                  int64_t copies) {
  auto remark =
      remark::passed(location, remark::RemarkOpts::name("choose-copies").category("plan"));
  remark << remark::metric("copies", copies);
  for (const plan::CopyCandidate &candidate : candidates) {
    std::string of = std::to_string(candidate.copies);
    if (!candidate.error.empty())
      remark << remark::metric("error_" + of, candidate.error);
    else
      remark << remark::metric("us_" + of, candidate.seconds * 1e6)
             << remark::metric("bytes_" + of, candidate.peakBytes);
  }
}

void remarkOneIsFaster(Location location, const plan::CopyCandidate &one,
                       const plan::CopyCandidate &given) {
  if (!one.error.empty() || !given.error.empty() || one.seconds >= given.seconds)
    return;
  remark::missed(location, remark::RemarkOpts::name("choose-copies").category("plan"))
      << remark::reason("one copy is faster") << remark::metric("copies", given.copies)
      << remark::metric("us", given.seconds * 1e6) << remark::metric("us_1", one.seconds * 1e6);
}

} // namespace pcc::cli
