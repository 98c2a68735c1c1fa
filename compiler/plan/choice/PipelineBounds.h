// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds on a model's pipelines before any of them is compiled: how the batch divides, how many
// virtual stages the layers allow, and the minimum time of a step. The bound divides the least
// times of the layers' matmuls, and of the kernels between them, evenly over all ranks
// (LayerCosts.h). It adds the launches of matmuls on each rank of a stage, and assumes no waiting,
// except:
//
//   unsplit backward passes, one virtual stage per stage: stage i waits for the stages before it
//   at the beginning of a step, and they wait for it at the end. With T for a microbatch on the
//   ranks of a stage, a step of m microbatches takes at least
//   max over i of m t(i) + t(0) + … + t(i-1). This is least if all are equal:
//   T / (1 - (1 - 1/m)^p)
//   anything else: m T / p
//
// Kernels between matmuls count only the bytes that they read and write at least (LayerCosts.h).
// The bound contains no messages, no collectives and no update.
#pragma once

#include "compiler/plan/choice/PipelineChoice.h"
#include "compiler/plan/layers/LayerCosts.h"

namespace pcc::plan {

/// Limits on the microbatches and virtual stages to try, if the user does not give them.
struct PipelineLimits {
  int64_t microbatches = 0; ///< 0: eight for each stage
  int chunks = 4;           ///< per stage
};

/// Costs of one microbatch of all layers on one rank.
struct MicrobatchCost {
  double seconds = 0;                ///< forward and backward; 0: unknown
  double multiplying = 0;            ///< least seconds of the matmuls among them
  double launching = 0;              ///< least seconds of the launches of these
  double moving = 0;                 ///< least seconds of the kernels between the matmuls
  int64_t liveBytes = 0;             ///< kept from its forward to its backward pass
  int64_t heldBytes = 0;             ///< parameters, gradients in f32, optimizer states
  std::vector<stages::Layer> layers; ///< whose sums these are
};

class PipelineBounds {
public:
  /// Analyzes `model` after the phase graph, on `devices` ranks in total. `model` must outlive the
  /// object. Ignores the ranks and isReplicated of `options`.
  PipelineBounds(mlir::ModuleOp model, int64_t devices, LayerCostOptions options);

  /// Returns the numbers of microbatches, with `copies` copies each, that divide the batch. The
  /// maximum is the limit or, without one, eight for each of `stages`.
  std::vector<int64_t> listMicrobatches(int64_t copies, int stages,
                                        const PipelineLimits &limits) const;
  /// Returns the numbers of virtual stages to try: one, two, and the numbers that divide the
  /// repeated layers evenly. Layers that occur once (an embedding, a head) do not count, since they
  /// share a virtual stage with a repeated layer anyway. Every virtual stage has at least one
  /// layer.
  std::vector<int> listChunks(int stages, const PipelineLimits &limits) const;

  /// Returns a lower bound on the seconds of a step. Returns 0 if nothing is known, because the
  /// batch cannot be divided so.
  double boundSeconds(const PipelineCut &cut);

  /// Returns the costs of one of `microbatches`, which are computed once.
  const MicrobatchCost &getMicrobatch(int64_t microbatches);
  /// Returns the samples of a step; 0: unknown.
  int64_t getBatch() const { return batch; }
  /// Returns the number of layers between which the model may be cut.
  int64_t getLayers() const { return layers; }

private:
  mlir::ModuleOp model;
  int64_t devices;
  LayerCostOptions options;
  int64_t batch = 0;
  int64_t layers = 0, repeatedLayers = 0;
  std::map<int64_t, MicrobatchCost> costs; ///< by number of microbatches
};

} // namespace pcc::plan
