// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks a program by recursive cuts of the devices: every forward op decides for itself, beside its
// neighbours; the backward pass and the update follow. Pins hold. Assumes global shapes and roles
// on arguments and results; leaves the ops as they are, with a sharding on each, and no pins.
#include "passes/strategy/Passes.h"
#include "passes/strategy/RecursiveStrategy.h"

using namespace mlir;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYRECURSIVE
#include "passes/strategy/Passes.h.inc"

namespace {

struct Recursive : impl::StrategyRecursiveBase<Recursive> {
  using StrategyRecursiveBase::StrategyRecursiveBase;

  void runOnOperation() override {
    FailureOr<PinnedProgram> program = resolvePins(
        getOperation(), {deviceNum, gradientsMean, fullBatch, lossRepeatedMean, datasetStrategy});
    if (failed(program))
      return signalPassFailure();
    addRecursiveStrategy(getOperation(), deviceNum, *program);
    markProgram(getOperation(), std::move(*program));
  }
};

} // namespace
} // namespace pcc::strategy
