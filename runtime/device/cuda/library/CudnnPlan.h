// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how cuDNN runs a graph. It takes the first engine of the heuristics that gives the same
// bits in every run and keeps the required precision.

#pragma once

#include "runtime/device/cuda/library/CudnnGraph.h"

namespace pcc::runtime::cuda::dnn {

/// The target of plans: a handle on a GPU, or a described GPU that need not be present.
struct Target {
  const Cudnn &library;
  Handle handle = nullptr;
  const Descriptor *device = nullptr;
};

/// Describes a GPU by its properties in cuDNN's JSON format (from 9.8 on), for plans that are not
/// run.
Descriptor describeDevice(const Cudnn &library, const std::string &json);

class Plan {
public:
  /// Makes a plan. `isExact`: operands of f32 are not rounded. Error: the last engine's reason if
  /// no engine qualifies.
  static Expected<std::shared_ptr<const Plan>> make(const Target &target, Graph graph,
                                                    bool isExact);
  Plan(Graph graph, Descriptor whole, Descriptor plan, int64_t workspaceBytes)
      : graph(std::move(graph)), whole(std::move(whole)), plan(std::move(plan)),
        bytes(workspaceBytes) {}

  int64_t workspaceBytes() const { return bytes; }
  const Descriptor &descriptor() const { return plan; }

private:
  Graph graph; ///< The graph and its descriptor must live as long as the plan.
  Descriptor whole, plan;
  int64_t bytes;
};

} // namespace pcc::runtime::cuda::dnn
