// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates a program with given strategies. The constraints of `dist.constraints` and the
// shardings of the inputs (`dataset_strategy`) are checked and expressed on one mesh, whose axes
// are split as needed. All other ops get their shardings by propagation (propagate/Propagation.h),
// which weighs work and communication of the machine, if one is given.
// Inputs that it does not reach are split along the batch (propagate/ShardingAnnotator.cpp).
// Assumes global shapes and roles on arguments and results. Leaves the ops unchanged, with a
// sharding on each, and no constraints.
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/constraints/ConstrainedProgram.h"

using namespace mlir;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYSEMIAUTO
#include "passes/strategy/Passes.h.inc"

namespace {

struct SemiAuto : impl::StrategySemiAutoBase<SemiAuto> {
  using StrategySemiAutoBase::StrategySemiAutoBase;

  void runOnOperation() override {
    FailureOr<ConstrainedProgram> constrained = resolveConstraints(
        getOperation(), {deviceNum, gradientsMean, fullBatch, lossRepeatedMean, datasetStrategy});
    if (failed(constrained))
      return signalPassFailure();
    auto &machine = getAnalysis<analysis::ClusterAnalysis>();
    if (!machine.isGiven())
      return annotateProgram(getOperation(), std::move(*constrained));
    FailureOr<abi::Cluster> cluster = machine.get(constrained->mesh.getNumRanks());
    if (failed(cluster))
      return signalPassFailure();
    annotateProgram(getOperation(), std::move(*constrained), &*cluster);
  }
};

} // namespace
} // namespace pcc::strategy
