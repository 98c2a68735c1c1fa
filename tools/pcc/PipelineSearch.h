// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc search --pipelines: into how many stages and microbatches, and in which order. What the user
// gives stays; the rest is enumerated, each cut compiled and priced.
#pragma once

#include "compiler/plan/PipelineChoice.h"
#include "tools/pcc/RoadFlags.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

class PipelineSearch {
public:
  /// `options` as the flags say; its cluster is given.
  PipelineSearch(const RoadFlags &road, PipelineOptions options)
      : road(road), options(std::move(options)) {}

  /// Success, or Infeasible if no candidate fits; BadInput after a diagnostic.
  ExitCode run();

  /// A table of the candidates, best first, and the flags of the best one.
  void print() const;
  /// `{"candidates": [{"pipeline_stages", "micro_batches", "virtual_stages", "pipeline_schedule",
  /// "seconds", "bubble", "peak_bytes", "error"}]}`.
  llvm::json::Value toJson() const;

  /// The options of the best candidate.
  PipelineOptions getBest() const;

private:
  plan::PipelineSpace listSpace() const;
  PipelineOptions makeOptions(const plan::PipelineCut &cut) const;
  plan::CompiledCut compile(mlir::ModuleOp model, const plan::PipelineCut &cut) const;

  const RoadFlags &road;
  PipelineOptions options;
  std::vector<plan::PipelineCandidate> candidates;
  size_t numCuts = 1;
};

} // namespace pcc::cli
