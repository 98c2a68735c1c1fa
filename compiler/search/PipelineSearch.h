// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the numbers of pipeline stages, microbatches and virtual stages, and the schedule. Values
// that the caller fixes are kept. The rest is enumerated, and candidates that may be best are
// compiled to estimate their cost (compiler/plan/choice/PipelineChoice.h).
#pragma once

#include "compiler/Compile.h"
#include "compiler/plan/choice/PipelineBounds.h"

namespace pcc::search {

/// Values of the options that the search keeps.
struct FixedPipeline {
  bool stages = false, microbatches = false, virtualStages = false, schedule = false;
};

class PipelineSearch {
public:
  /// `model`, as imported, must outlive this object. `options` have a cluster, a training step and
  /// mode AUTO_PARALLEL.
  PipelineSearch(mlir::ModuleOp model, CompileOptions options, FixedPipeline fixed,
                 plan::PipelineLimits limits)
      : model(model), options(std::move(options)), fixed(fixed), limits(limits) {}

  /// Ranks the candidates. Fails, after an error, if the model is invalid.
  mlir::LogicalResult run();

  /// Returns the candidates, best first; empty if the fixed values leave none.
  llvm::ArrayRef<plan::PipelineCandidate> getCandidates() const { return candidates; }
  /// Returns whether the best candidate is invalid because it exceeds the memory.
  bool isInfeasible() const;
  /// Returns the options of the best candidate.
  CompileOptions getBest() const;

private:
  std::vector<int> listStages() const;
  plan::PipelineSpace makeSpace() const;
  std::vector<plan::PipelineCut> listCuts(plan::PipelineSpace space,
                                          const plan::PipelineBounds &bounds) const;
  CompileOptions makeOptions(const plan::PipelineCut &cut) const;
  plan::CompiledCut compile(const plan::PipelineCut &cut);

  mlir::ModuleOp model;
  CompileOptions options;
  FixedPipeline fixed;
  plan::PipelineLimits limits;
  std::vector<plan::PipelineCandidate> candidates;
  size_t numCuts = 1;
  bool exceedsMemory = false; ///< some candidate had no stages or no shardings that fit
};

} // namespace pcc::search
