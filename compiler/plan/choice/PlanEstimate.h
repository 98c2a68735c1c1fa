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
//           + adding each gradient of a microbatch to its sum, in the memory of the device; in
//             levels 2 and 3 the part that the rank keeps
//           + 2 all-reduces over t of the values between layers, for each microbatch and layer,
//             which is an attention or a feed-forward block
//           + reduction of the gradients over d, for each microbatch in levels 2 and 3: what a
//             backward pass does not hide
//           + a gather of parameters in levels 1 and 2; in level 3 two for each microbatch: what
//             the passes do not hide
//   bytes   parameters, gradients and states of a rank, cut over d by the level
//           + what the microbatches for which the schedule needs room keep for their backward
//             passes. Tensor parallel ranks divide it, except for the residual stream: for each
//             layer, the values between layers and their norm
//   A plan that does not fit recomputes. If it keeps only the values between layers, it takes 4/3
//   of the time; if it recomputes less, it takes less.
//
// Searched shardings are estimated as the better one of the best grid, and of all ranks that split
// samples and sequences: 4 all-to-alls of the values between layers, and all ranks of a stage are
// data parallel. Ranks beyond the samples of a microbatch divide the work as tensor parallel ones.
// They divide the residual stream too.
#pragma once

#include "compiler/plan/choice/PipelineBounds.h"
#include "compiler/plan/choice/PlanShape.h"
#include "runtime/abi/program.pb.h"

#include <compare>
#include <map>
#include <tuple>

namespace pcc::plan {

/// Estimate of a plan that recomputes nothing.
struct PlanEstimate {
  double seconds = 0;
  double bytes = 0;    ///< of a rank
  double minBytes = 0; ///< of a rank, if everything but the values between layers is recomputed
};

/// Estimate of a plan that recomputes as much as the memory of a device demands.
struct FittedEstimate {
  double excess = 0; ///< bytes beyond the memory even if it recomputes all that it can
  double seconds = 0;
  double bytes = 0; ///< of a rank

  /// Compares plans in the order in which they should be tried.
  auto operator<=>(const FittedEstimate &) const = default;
};

/// Fits an estimate into `memory` bytes. Seconds and bytes are those of the estimate, times factors
/// that compiled plans like it took of theirs.
FittedEstimate fitEstimate(const PlanEstimate &estimate, int64_t memory, double secondsFactor = 1,
                           double bytesFactor = 1);

/// Returns the number of each estimate's front: 0 if no other estimate needs as little of both time
/// and memory, 1 if only estimates of front 0 do, and so on.
std::vector<int64_t> rankFronts(llvm::ArrayRef<FittedEstimate> estimates);

/// Estimates plans of one model.
class PlanEstimator {
public:
  /// `model` is a graph after the phase graph. `bounds`, `cluster`, which is complete, and `space`
  /// must outlive this object. `memory` is the bytes of a device.
  PlanEstimator(mlir::ModuleOp model, PipelineBounds &bounds, const abi::Cluster &cluster,
                const PlanSpace &space, int64_t memory);

  PlanEstimate estimate(const PlanShape &shape);

private:
  /// The idle time of a schedule, in times of a microbatch in a stage, and the microbatches for
  /// which each virtual stage has memory (countKept), by device.
  struct Idle {
    double microbatches = 0;
    std::vector<std::vector<std::pair<int, double>>> kept = {{{0, 1}}};
  };

  /// Stages that are balanced by time, for one of some parts of the batch on one device.
  struct BalancedStages {
    double seconds = 0;            ///< of the slowest stage
    std::vector<double> liveBytes; ///< by stage
    std::vector<double> heldShare; ///< by stage: share of the parameters, gradients and states
  };

  /// Returns the idle time and the microbatches of the schedule of a shape.
  const Idle &getIdle(const PlanShape &shape);
  const BalancedStages &getBalanced(int64_t parts, int stages);
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
  std::map<std::pair<int64_t, int>, BalancedStages> balanced;       ///< of getBalanced
  std::map<std::tuple<std::string, int, int, int64_t>, Idle> idles; ///< of getIdle
};

} // namespace pcc::plan
