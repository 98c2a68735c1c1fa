// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc search --pipelines: chooses the numbers of stages, microbatches and virtual stages, and the
// schedule. Values that the user gives are fixed. The rest is enumerated, and candidates that may
// be best are compiled to estimate their cost.
#pragma once

#include "compiler/plan/PipelineBounds.h"
#include "tools/pcc/flags/CompileFlags.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

class PipelineSearch {
public:
  /// `options` holds the values of the flags and a cluster.
  PipelineSearch(const CompileFlags &compileFlags, CompileOptions options,
                 plan::PipelineLimits limits)
      : compileFlags(compileFlags), options(std::move(options)), limits(limits) {}

  /// Returns Success, or Infeasible if no candidate fits. Returns BadInput if the model is bad,
  /// after a diagnostic, or if no candidate could be compiled for another reason. Returns BadUsage
  /// if the flags leave no candidate.
  ExitCode run();

  bool hasCandidates() const { return !candidates.empty(); }
  /// Prints a table of the candidates, best first, and the flags of the best one.
  void print() const;
  /// Returns `{"candidates": [{"pipeline_stages", "micro_batches", "virtual_stages",
  /// "pipeline_schedule", "stage_memory", "seconds", "bound_seconds", "bubble", "peak_bytes",
  /// "recomputed_ops", "pruned", "error"}]}`.
  llvm::json::Value toJson() const;

  /// Returns the options of the best candidate.
  CompileOptions getBest() const;

private:
  std::vector<int> listStages() const;
  plan::PipelineSpace makeSpace() const;
  std::vector<plan::PipelineCut> listCuts(plan::PipelineSpace space,
                                          const plan::PipelineBounds &bounds) const;
  CompileOptions makeOptions(const plan::PipelineCut &cut) const;
  plan::CompiledCut compile(mlir::ModuleOp model, const plan::PipelineCut &cut);

  const CompileFlags &compileFlags;
  CompileOptions options;
  plan::PipelineLimits limits;
  std::vector<plan::PipelineCandidate> candidates;
  size_t numCuts = 1;
  bool exceedsMemory = false; ///< some candidate had no stages or no shardings that fit
};

} // namespace pcc::cli
