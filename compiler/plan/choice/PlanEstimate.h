// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A first estimate of the step time and the memory of a plan from its numbers alone. A search of
// plans tries the most promising ones first by it; it decides nothing else. With n devices in p
// stages of d data parallel and t tensor parallel ranks, and m microbatches of T seconds on one
// device:
//
//   step    (m + (p-1)/v) S p / n               work and bubbles of v virtual stages, where S is
//                                               the part of T in the slowest of p balanced stages
//           + 2 all-reduces over t of the values between layers, for each microbatch and layer,
//             which is an attention or a feed-forward block
//           + reduction of the gradients over d, for each microbatch in levels 2 and 3
//           + a gather of parameters in levels 1 and 2, two for each microbatch in level 3
//   A plan that does not fit recomputes, which takes 4/3 of the time.
//   bytes   parameters, gradients and states of a rank, cut over d by the level
//           + what min(p, m) microbatches keep for their backward passes
//
// Searched shardings are estimated as the better one of the best grid, and of all ranks that split
// samples and sequences: 4 all-to-alls of the values between layers, and d = n / p.
#pragma once

#include "compiler/plan/choice/PipelineBounds.h"
#include "compiler/plan/choice/PlanShape.h"
#include "runtime/abi/program.pb.h"

#include <map>

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
  /// Returns the seconds of a microbatch in the slowest of `stages` balanced stages, on one device.
  double getStageSeconds(int64_t microbatches, int stages);
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
  std::map<std::pair<int64_t, int>, double> stageSeconds; ///< of getStageSeconds
};

} // namespace pcc::plan
