// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outer choice of pipelines: into how many stages the ranks are cut, into how many microbatches
// the batch, how many chunks a stage has, and in which order it works on them. Each combination of
// the first three is compiled once (the road up to its stages) and priced (PipelinePrice.h); then
// all schedules that suit it are run on those prices. The fastest that fits into memory wins. Cuts
// that take longer than the best so far, whatever is done with them, are not compiled. One that
// does not fit is cut again for less memory, so that more is computed again instead of being kept
// (StagePlan.h).
//
//   stages  microbatches  chunks  schedule           step      bubble   memory
//        4            16       2  interleaved-1f1b   81.2 ms    7.9 %   41.0 GB
//        4            16       1  zb-h1              83.0 ms   10.1 %   47.3 GB
//        8            16       1  1f1b              101.5 ms   30.4 %   26.1 GB
//        2            16       1  1f1b              needs 97.1 GB of 80.0 GB
#pragma once

#include "compiler/plan/PipelinePrice.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::plan {

/// What is compiled.
struct PipelineCut {
  int stages = 1;
  int64_t microbatches = 1; ///< of all copies
  int chunks = 1;           ///< of each stage
  order::Placement placement = order::Placement::Looped;
  bool splitsBackward = false;
  /// Bytes of a device that its stages, where they are found, are to fit into by the estimate of
  /// StagePlan.h; 0: as many as the space allows.
  int64_t memory = 0;

  order::PipelineShape getShape() const { return {stages, microbatches, chunks, placement}; }
};

/// A cut in the order of a schedule.
struct PipelineCandidate {
  PipelineCut cut;
  std::string schedule; ///< `1f1b`
  double seconds = 0;
  double bubble = 0;     ///< rate, of the slots alone (order::Timeline)
  int64_t peakBytes = 0; ///< of the stage that needs most
  int64_t recomputedOps = 0;
  double bound = 0; ///< seconds that it takes at least; 0: not known
  /// It was not compiled, since the bound is above the time of another one.
  bool isPruned = false;
  /// Why it is none: what the road said, or the memory that it lacks. Empty if it is one or pruned.
  std::string error;
};

/// What may be chosen.
struct PipelineSpace {
  std::vector<int> stages;
  std::vector<int64_t> microbatches;
  std::vector<int> chunks;
  std::vector<std::string> schedules; ///< names; `auto` among them
  int64_t memoryLimit = 0;            ///< bytes of a device
};

/// Compiles a cut: the programs of its stages, priced; or what is wrong with it.
struct CompiledCut {
  PipelinePrice price;
  std::string error;
  int64_t recomputedOps = 0;
};
using CutCompiler = llvm::function_ref<CompiledCut(const PipelineCut &cut)>;
/// Seconds that a step of a cut takes at least.
using CutBound = llvm::function_ref<double(const PipelineCut &cut)>;

/// What of the space is worth compiling: cuts that some schedule suits, with at least as many
/// microbatches as stages.
std::vector<PipelineCut> listCuts(const PipelineSpace &space);

/// All candidates of `cuts` in the schedules of `space`, best first: those that fit by time, then
/// those that do not by memory, then those that cannot be compiled, then those that were pruned by
/// their bound.
std::vector<PipelineCandidate> rankPipelines(const PipelineSpace &space,
                                             llvm::ArrayRef<PipelineCut> cuts, CutBound bound,
                                             CutCompiler compile);
/// Those of the whole space, of which none is pruned.
std::vector<PipelineCandidate> rankPipelines(const PipelineSpace &space, CutCompiler compile);

} // namespace pcc::plan
