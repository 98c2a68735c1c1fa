// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AlignSharedParameters: gives all copies of a parameter in one stage the same sharding. Virtual
// stages of one stage that read the same parameter will share it (SharedParameters.h). The
// strategy's choice for the first copy therefore holds for the others, gradients included. Ops that
// need another sharding get a reshard by partition. Assumes and leaves shardings on the arguments
// and results of functions.
#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/pipeline/Passes.h"
#include "passes/pipeline/SharedParameters.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::pipeline {

#define GEN_PASS_DEF_ALIGNSHAREDPARAMETERS
#include "passes/pipeline/Passes.h.inc"

namespace {

/// Sets the sharding of the argument and the result of one role to those of another role.
void align(func::FuncOp function, RoleKind kind, StringRef holder, StringRef copy) {
  std::optional<unsigned> from = findArg(function, kind, holder);
  std::optional<unsigned> to = findArg(function, kind, copy);
  if (from && to)
    if (Attribute sharding = function.getArgAttr(*from, dist::shardingAttrName))
      function.setArgAttr(*to, dist::shardingAttrName, sharding);
  from = findResult(function, kind, holder);
  to = findResult(function, kind, copy);
  if (from && to)
    if (Attribute sharding = function.getResultAttr(*from, dist::shardingAttrName))
      function.setResultAttr(*to, dist::shardingAttrName, sharding);
}

struct AlignSharedParameters : impl::AlignSharedParametersBase<AlignSharedParameters> {
  using AlignSharedParametersBase::AlignSharedParametersBase;

  void runOnOperation() override {
    order::PipelineShape shape;
    shape.devices = int(stages);
    shape.chunks = int(virtualStages);
    shape.placement = placement;
    auto stageOf = [&](ParameterOp parameter) -> int64_t {
      auto chunk = parameter->getAttrOfType<IntegerAttr>(pipe::virtualStageAttrName);
      return shape.deviceOf(chunk ? int(chunk.getInt()) : 0);
    };
    for (auto [holder, copy] : findSharedCopies(getOperation(), stageOf))
      for (auto function : getOperation().getOps<func::FuncOp>())
        for (RoleKind kind : {RoleKind::Parameter, RoleKind::Gradient})
          align(function, kind, holder.getSymName(), copy.getSymName());
  }
};

} // namespace
} // namespace pcc::pipeline
