// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the pipeline: the number of stages, of microbatches and of virtual stages, and the
// schedule. Each combination of the first three is compiled once (up to the phase stages), and its
// costs are estimated (PipelineCost.h). All schedules that fit the combination then run on those
// costs. The fastest candidate that fits into memory wins. Cuts whose lower bound exceeds the best
// time so far are not compiled. A cut that does not fit is cut again for less memory, which
// recomputes more values instead of saving them (FindStages.cpp).
//
//   stages  microbatches  virtual  schedule           step      bubble   memory
//        4            16        2  interleaved-1f1b   81.2 ms    7.9 %   41.0 GB
//        4            16        1  zb-h1              83.0 ms   10.1 %   47.3 GB
//        8            16        1  1f1b              101.5 ms   30.4 %   26.1 GB
//        2            16        1  1f1b              needs 97.1 GB of 80.0 GB
#pragma once

#include "compiler/plan/cost/PipelineCost.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::plan {

/// Parameters of one compilation.
struct PipelineCut {
  int stages = 1;
  int64_t microbatches = 1; ///< with copies of a microbatch counted separately
  int chunks = 1;           ///< of each stage
  order::Placement placement = order::Placement::Looped;
  bool splitsBackward = false;
  /// Bytes per device into which automatically found stages must fit, by the estimate of
  /// FindStages.cpp; 0: the limit of the space.
  int64_t memory = 0;

  order::PipelineShape getShape() const { return {stages, microbatches, chunks, placement}; }
};

/// A cut with a schedule.
struct PipelineCandidate {
  PipelineCut cut;
  std::string schedule; ///< `1f1b`
  double seconds = 0;
  double bubble = 0;     ///< fraction, of the actions alone (order::Timeline)
  int64_t peakBytes = 0; ///< of the stage that needs most
  int64_t recomputedOps = 0;
  double bound = 0; ///< lower bound on the seconds; 0: unknown
  /// True if the candidate was not compiled, since its bound exceeds the time of another candidate.
  bool isPruned = false;
  /// Why the candidate is not valid: a compilation error or the memory shortage. Empty if the
  /// candidate is valid or pruned.
  std::string error;
};

/// Search space of pipelines.
struct PipelineSpace {
  std::vector<int> stages;
  std::vector<int64_t> microbatches;
  std::vector<int> chunks;
  std::vector<std::string> schedules; ///< names, possibly including `auto`
  int64_t memoryLimit = 0;            ///< bytes of a device
};

/// Result of compiling a cut: the costs of its stages, or an error.
struct CompiledCut {
  PipelineCost cost;
  std::string error;
  int64_t recomputedOps = 0;
};
using CutCompiler = llvm::function_ref<CompiledCut(const PipelineCut &cut)>;
/// Returns a lower bound on the seconds of a step of a cut.
using CutBound = llvm::function_ref<double(const PipelineCut &cut)>;

/// Returns the cuts worth compiling: those that fit some schedule and have at least as many
/// microbatches as stages.
std::vector<PipelineCut> listCuts(const PipelineSpace &space);

/// Ranks all candidates of `cuts` with the schedules of `space`, best first. Candidates that fit
/// come first, by time. Then follow candidates that exceed the memory, by memory, then candidates
/// that do not compile, then pruned candidates.
std::vector<PipelineCandidate> rankPipelines(const PipelineSpace &space,
                                             llvm::ArrayRef<PipelineCut> cuts, CutBound bound,
                                             CutCompiler compile);
/// Ranks the whole search space without pruning.
std::vector<PipelineCandidate> rankPipelines(const PipelineSpace &space, CutCompiler compile);

} // namespace pcc::plan
