// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A first estimate of the step time and the memory of a plan from its numbers alone. A search of
// plans tries the most promising ones first by it; it decides nothing else. With p stages of d data
// parallel and t tensor parallel ranks, and m microbatches, of which one device computes the
// samples of one rank in T seconds:
//
//   step    (m + b) (S / t + L)                 S and L are parts of T in the slowest of p balanced
//                                               stages: the work, which t ranks divide, and the
//                                               launches. The schedule alone, with equal times,
//                                               idles for b microbatches
//           + 2 all-reduces over t of the values between layers, for each microbatch and layer,
//             which is an attention or a feed-forward block
//           + reduction of the gradients over d, for each microbatch in levels 2 and 3
//           + a gather of parameters in levels 1 and 2, two for each microbatch in level 3
//   A plan that does not fit recomputes, which takes 4/3 of the time.
//   bytes   parameters, gradients and states of a rank, cut over d by the level
//           + what the microbatches of the schedule that live together keep for their backward
//             passes
//
// Searched shardings are estimated as the better one of the best grid, and of all ranks that split
// samples and sequences: 4 all-to-alls of the values between layers, and all ranks of a stage are
// data parallel. Ranks beyond the samples of a microbatch divide the work as tensor parallel ones.
#pragma once

#include "compiler/plan/choice/PipelineBounds.h"
#include "compiler/plan/choice/PlanShape.h"
#include "runtime/abi/program.pb.h"

#include <map>
#include <tuple>

namespace pcc::plan {

struct PlanEstimate {
  double seconds = 0;
  double bytes = 0; ///< of a rank
};

/// Returns the number of each estimate's front: 0 if no other estimate needs as little of both time
/// and memory, 1 if only estimates of front 0 do, and so on.
std::vector<int64_t> rankFronts(llvm::ArrayRef<PlanEstimate> estimates);

/// Estimates plans of one model.
class PlanEstimator {
public:
  /// `model` is a graph after the phase graph. `bounds`, `cluster`, which is complete, and `space`
  /// must outlive this object. `memory` is the bytes of a device.
  PlanEstimator(mlir::ModuleOp model, PipelineBounds &bounds, const abi::Cluster &cluster,
                const PlanSpace &space, int64_t memory);

  PlanEstimate estimate(const PlanShape &shape);

private:
  /// The idle time of a schedule, in times of a microbatch in a stage, and the microbatches that a
  /// stage holds together.
  struct Idle {
    double microbatches = 0, live = 1;
  };

  /// Returns the idle time and the microbatches of the schedule of a shape with several stages.
  const Idle &getIdle(const PlanShape &shape);
  /// Returns the seconds of one of `parts` of the batch in the slowest of `stages` balanced stages,
  /// on one device.
  double getStageSeconds(int64_t parts, int stages);
  /// Returns the estimate with recomputation if it does not fit.
  PlanEstimate fit(const PlanEstimate &estimate) const;
  /// Estimates a shape as a grid of its numbers with `tensor` tensor parallel ranks.
  PlanEstimate estimateGrid(const PlanShape &shape, int64_t tensor);
  /// Estimates a shape whose ranks split samples and sequences.
  PlanEstimate estimateSequences(const PlanShape &shape);
  double getCollectiveSeconds(abi::CollectiveKind kind, double bytes, int64_t members,
                              int64_t stride) const;

  PipelineBounds &bounds;
  const abi::Cluster &cluster;
  const PlanSpace &space;
  int64_t memory;
  double parameterBytes = 0, gradientBytes = 0; ///< of the whole model; gradients in f32
  double crossingBytes = 0;                     ///< of the values between layers, for a whole batch
  std::map<std::pair<int64_t, int>, double> stageSeconds;           ///< of getStageSeconds
  std::map<std::tuple<std::string, int, int, int64_t>, Idle> idles; ///< of getIdle
};

} // namespace pcc::plan
