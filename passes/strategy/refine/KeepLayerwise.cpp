// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves the gradients of `layerwise_parallel` parameters unreduced. Each rank has its own copy of
// such a parameter. Its gradient is the gradient of the rank's own loss: N times the rank's part of
// the gradient of the mean over N ranks. The update takes this part as if it were the whole
// gradient.
//
//                                     other parameters     layerwise_parallel
//   gradient of @forward_backward     partial over dp      partial over dp, factor N
//   update                            needs the sum        needs its part: dist.own
//
// Changes only annotations. Assumes that the pass of a mode has annotated the program.
#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Shardings.h"
#include "passes/strategy/Passes.h"

using namespace mlir;
using namespace pcc;
using pcc::graph::RoleKind;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYKEEPLAYERWISE
#include "passes/strategy/Passes.h.inc"

namespace {

struct KeepLayerwise : impl::StrategyKeepLayerwiseBase<KeepLayerwise> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    double ranks = static_cast<double>(dist::getMesh(module).getNumRanks());
    for (auto parameter : module.getOps<graph::ParameterOp>())
      if (parameter.getLayerwiseParallel())
        for (func::FuncOp function : module.getOps<func::FuncOp>())
          keep(function, parameter.getSymName(), ranks);
  }

  static void keep(func::FuncOp function, StringRef name, double ranks) {
    Builder builder(function.getContext());
    auto result = graph::findResult(function, RoleKind::Gradient, name);
    if (result && analysis::getResultSharding(function, *result).isPartial()) {
      function.setResultAttr(*result, dist::gradientFactorAttrName, builder.getF64FloatAttr(ranks));
      remark::passed(function.getLoc(),
                     remark::RemarkOpts::name("keep-layerwise").category("strategy"))
          << remark::metric("parameter", name) << remark::metric("factor", ranks);
    }
    auto argument = graph::findArg(function, RoleKind::Gradient, name);
    if (argument && analysis::getSharding(function.getArgument(*argument)).isPartial())
      function.setArgAttr(*argument, dist::ownAttrName, builder.getUnitAttr());
  }
};

} // namespace
} // namespace pcc::strategy
