// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a model's pipelines before any is compiled: how its batch divides, into how many
// chunks its layers, and what a step takes at least. The layers' times (LayerPrices.h) are shared
// evenly by all ranks, as if nothing was ever waited for but
//
//   whole backward passes in one chunk on a stage: stage i waits for the stages before it at the
//   begin of a step, and they for it at the end. With T for a microbatch on the ranks of a stage a
//   step of m microbatches takes at least max over i of m t(i) + t(0) + … + t(i-1), which is least
//   where all are equal: T / (1 - (1 - 1/m)^p)
//   anything else: m T / p
//
// Neither messages, collectives nor the update are in it.
#pragma once

#include "compiler/plan/LayerPrices.h"
#include "compiler/plan/PipelineChoice.h"

namespace pcc::plan {

/// The microbatches and chunks that are tried, where the user does not give them.
struct PipelineLimits {
  int64_t microbatches = 0; ///< 0: eight for each stage
  int chunks = 4;           ///< of a stage
};

class PipelineBounds {
public:
  /// Of `model`, at the stage graph, which outlives it, on `devices` ranks in all. Of `options`
  /// neither ranks nor isReplicated matter.
  PipelineBounds(mlir::ModuleOp model, int64_t devices, LayerPriceOptions options);

  /// The numbers of microbatches, of `copies` each, that divide the batch, up to the limit or to
  /// eight for each of `stages`.
  std::vector<int64_t> listMicrobatches(int64_t copies, int stages,
                                        const PipelineLimits &limits) const;
  /// One and two, then what divides the layers of a stage: those that come more than once, for
  /// what is there once (an embedding, a head) is beside a repeated layer wherever it is. None is
  /// so large that a chunk has no layer.
  std::vector<int> listChunks(int stages, const PipelineLimits &limits) const;

  /// Seconds that a step takes at least; 0 where nothing is known, since the batch cannot be cut
  /// so.
  double boundSeconds(const PipelineCut &cut);

private:
  double secondsOfMicrobatch(int64_t microbatches);

  mlir::ModuleOp model;
  int64_t devices;
  LayerPriceOptions options;
  int64_t batch = 0;
  int64_t layers = 0, repeatedLayers = 0;
  std::map<int64_t, double> seconds; ///< of all layers on one rank, by number of microbatches
};

} // namespace pcc::plan
