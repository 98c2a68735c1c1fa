// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How cuDNN does a graph: the first engine that its heuristics name, that gives the same bits in
// every run, and that keeps to the precision that is asked for.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNPLAN_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNPLAN_H

#include "runtime/device/cuda/library/CudnnGraph.h"

namespace pcc::runtime::cuda::dnn {

/// What plans are made for: a handle, whose GPU it is, or a GPU that need not be here.
struct Target {
  const Cudnn &library;
  Handle handle = nullptr;
  const Descriptor *device = nullptr;
};

/// A GPU by its properties as cuDNN writes them (from 9.8 on), for plans that are not run.
Descriptor describeDevice(const Cudnn &library, const std::string &json);

class Plan {
public:
  /// `isExact`: operands of f32 are not rounded. Error: no engine does it so; the first reason.
  static Expected<std::shared_ptr<const Plan>> make(const Target &target, Graph graph,
                                                    bool isExact);
  Plan(Graph graph, Descriptor whole, Descriptor plan, int64_t workspaceBytes)
      : graph(std::move(graph)), whole(std::move(whole)), plan(std::move(plan)),
        bytes(workspaceBytes) {}

  int64_t workspaceBytes() const { return bytes; }
  const Descriptor &descriptor() const { return plan; }

private:
  Graph graph; ///< and its descriptor live as long as the plan
  Descriptor whole, plan;
  int64_t bytes;
};

} // namespace pcc::runtime::cuda::dnn

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNPLAN_H
