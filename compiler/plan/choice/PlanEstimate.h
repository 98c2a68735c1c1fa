// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A first estimate of the step time and the memory of a plan from its numbers alone. A search of
// plans tries the most promising ones first by it; it decides nothing else. With n devices in p
// stages of d data parallel and t tensor parallel ranks, and m microbatches of T seconds on one
// device:
//
//   step    m T / n (1 + (p-1)/(v m))           work, and the bubbles of v virtual stages
//           + 4 all-reduces over t of the values between layers, for each microbatch and layer
//           + reduction of the gradients over d, for each microbatch in levels 2 and 3
//           + a gather of parameters in levels 1 and 2, two for each microbatch in level 3
//   bytes   parameters, gradients and states of a rank, cut over d by the level
//           + what min(p, m) microbatches keep for their backward passes
//
// Searched shardings are estimated as the better one of the best grid, and of all ranks that split
// samples and sequences: 8 all-to-alls of the values between layers, and d = n / p.
#pragma once

#include "compiler/plan/choice/PipelineBounds.h"
#include "compiler/plan/choice/PlanShape.h"
#include "runtime/abi/program.pb.h"

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
  /// must outlive this object.
  PlanEstimator(mlir::ModuleOp model, PipelineBounds &bounds, const abi::Cluster &cluster,
                const PlanSpace &space);

  PlanEstimate estimate(const PlanShape &shape);

private:
  /// Estimates a shape as a grid of its numbers with `tensor` tensor parallel ranks.
  PlanEstimate estimateGrid(const PlanShape &shape, int64_t tensor);
  /// Estimates a shape whose ranks split samples and sequences.
  PlanEstimate estimateSequences(const PlanShape &shape);
  double getCollectiveSeconds(abi::CollectiveKind kind, double bytes, int64_t members,
                              int64_t stride) const;

  PipelineBounds &bounds;
  const abi::Cluster &cluster;
  const PlanSpace &space;
  double parameterBytes = 0, gradientBytes = 0; ///< of the whole model; gradients in f32
  double crossingBytes = 0;                     ///< of the values between layers, for a whole batch
};

} // namespace pcc::plan
