// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc search --pipelines: into how many stages, microbatches and chunks, and in which order. What
// the user gives stays; the rest is enumerated, and what may be best is compiled and priced.
#pragma once

#include "compiler/plan/PipelineBounds.h"
#include "tools/pcc/RoadFlags.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

class PipelineSearch {
public:
  /// `options` as the flags say; its cluster is given.
  PipelineSearch(const RoadFlags &road, PipelineOptions options, plan::PipelineLimits limits)
      : road(road), options(std::move(options)), limits(limits) {}

  /// Success, Infeasible if no candidate fits, or BadInput if none could be compiled for another
  /// reason; BadInput after a diagnostic.
  ExitCode run();

  bool hasCandidates() const { return !candidates.empty(); }
  /// A table of the candidates, best first, and the flags of the best one.
  void print() const;
  /// `{"candidates": [{"pipeline_stages", "micro_batches", "virtual_stages", "pipeline_schedule",
  /// "stage_memory", "seconds", "bound_seconds", "bubble", "peak_bytes", "recomputed_ops",
  /// "pruned", "error"}]}`.
  llvm::json::Value toJson() const;

  /// The options of the best candidate.
  PipelineOptions getBest() const;

private:
  std::vector<int> listStages() const;
  plan::PipelineSpace makeSpace() const;
  std::vector<plan::PipelineCut> listCuts(plan::PipelineSpace space,
                                          const plan::PipelineBounds &bounds) const;
  PipelineOptions makeOptions(const plan::PipelineCut &cut) const;
  plan::CompiledCut compile(mlir::ModuleOp model, const plan::PipelineCut &cut);

  const RoadFlags &road;
  PipelineOptions options;
  plan::PipelineLimits limits;
  std::vector<plan::PipelineCandidate> candidates;
  size_t numCuts = 1;
  bool lacksRoom = false; ///< for some cut there were no stages or no shardings that fit
};

} // namespace pcc::cli
