// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks a program for data parallelism: inputs split along the batch, parameters whole. Assumes
// global shapes and roles on arguments and results; leaves the ops as they are, with a sharding on
// each.
#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/facts/ReshardPlan.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/Propagation.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;
using pcc::dist::ShardingAttr;
using pcc::graph::RoleKind;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYDATAPARALLEL
#include "passes/strategy/Passes.h.inc"

namespace {

/// `rank` dimensions of which the first is split over all axes.
Sharding splitBatch(int64_t rank, const dist::Mesh &mesh) {
  Sharding sharding = Sharding::replicated(rank);
  for (const dist::MeshAxis &axis : mesh.getAxes())
    sharding.getDim(0).push_back(axis.name);
  return sharding;
}

/// Marks the functions of one module.
class Marker {
public:
  Marker(const dist::Mesh &mesh, bool gradientsMean, bool fullBatch)
      : mesh(mesh), gradientsMean(gradientsMean), fullBatch(fullBatch) {}

  LogicalResult mark(func::FuncOp function) {
    Propagation propagation(function, mesh);
    for (BlockArgument argument : function.getArguments())
      if (failed(markArgument(function, argument, propagation)))
        return failure();
    propagation.run();
    propagation.annotate();
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
      if (isa<RankedTensorType>(value.getType()))
        markResult(function, index, propagation.getSharding(value));
    return success();
  }

private:
  LogicalResult markArgument(func::FuncOp function, BlockArgument argument,
                             Propagation &propagation) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return success();
    unsigned index = argument.getArgNumber();
    Sharding boundary = Sharding::replicated(type.getRank());
    graph::RoleAttr role = graph::getArgRole(function, index);
    if (role && role.getKind() == RoleKind::Input && type.getRank() > 0) {
      Sharding split = splitBatch(type.getRank(), mesh);
      if (failed(checkBatch(function, index, type.getDimSize(0))))
        return failure();
      propagation.seed(argument, split);
      if (!fullBatch)
        boundary = split;
    } else if (role && role.getKind() == RoleKind::Gradient) {
      auto found = gradients.find(role.getName().getValue());
      if (found != gradients.end())
        boundary = found->second;
    }
    function.setArgAttr(index, dist::shardingAttrName, toAttr(function, boundary));
    return success();
  }

  LogicalResult checkBatch(func::FuncOp function, unsigned index, int64_t batch) {
    int64_t ranks = mesh.getNumRanks();
    if (batch % ranks)
      return function.emitError() << "batch of " << batch << " is not divisible by " << ranks
                                  << " ranks; counts that divide: " << dist::listDivisors(batch);
    remark::passed(function.getLoc(), remark::RemarkOpts::name("split-batch").category("strategy"))
        << remark::metric("input", int64_t(index)) << remark::metric("batch", batch)
        << remark::metric("ranks", ranks) << remark::metric("samples_per_rank", batch / ranks);
    return success();
  }

  /// Results stay partial if they are sums: slots add what they accumulate, and so does whoever
  /// reads the ranks' blocks.
  void markResult(func::FuncOp function, unsigned index, Sharding sharding) {
    if (sharding.getPartialKind() != ReduceKind::Sum)
      sharding = sharding.withoutPartial();
    graph::RoleAttr role = graph::getResultRole(function, index);
    if (role && role.getKind() == RoleKind::Parameter)
      sharding = Sharding::replicated(sharding.getRank());
    if (role && role.getKind() == RoleKind::Gradient)
      markGradient(function, index, role, sharding);
    function.setResultAttr(index, dist::shardingAttrName, toAttr(function, sharding));
  }

  void markGradient(func::FuncOp function, unsigned index, graph::RoleAttr role,
                    const Sharding &sharding) {
    StringRef name = role.getName().getValue();
    gradients[name] = sharding;
    double factor = gradientsMean ? 1 : mesh.getNumRanks();
    if (factor != 1)
      function.setResultAttr(index, dist::gradientFactorAttrName,
                             Builder(function.getContext()).getF64FloatAttr(factor));
    remark::passed(function.getLoc(), remark::RemarkOpts::name("gradient").category("strategy"))
        << remark::metric("parameter", name) << remark::metric("sharding", sharding.str())
        << remark::metric("factor", factor);
  }

  ShardingAttr toAttr(Operation *op, const Sharding &sharding) {
    return ShardingAttr::get(op->getContext(), facts::dropTrivialAxes(sharding, mesh));
  }

  const dist::Mesh &mesh;
  bool gradientsMean, fullBatch;
  llvm::StringMap<Sharding> gradients; ///< as @forward_backward returns them
};

struct DataParallel : impl::StrategyDataParallelBase<DataParallel> {
  using StrategyDataParallelBase::StrategyDataParallelBase;

  LogicalResult setMesh(ModuleOp module) {
    if (module->hasAttr(dist::meshAttrName))
      return success();
    if (deviceNum < 1 || deviceNum > dist::maxRanks)
      return module.emitError() << "expected 1 to " << dist::maxRanks << " ranks, got "
                                << deviceNum.getValue();
    const dist::MeshAxis axis{"dp", deviceNum};
    module->setAttr(dist::meshAttrName, dist::MeshAttr::get(&getContext(), dist::Mesh(axis)));
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(setMesh(module)))
      return signalPassFailure();
    dist::Mesh mesh = dist::getMesh(module);
    Marker marker(mesh, gradientsMean, fullBatch);
    // Sections that yield gradients come before those that take them.
    auto takesGradients = [](func::FuncOp function) {
      return !graph::findArgs(function, RoleKind::Gradient).empty();
    };
    for (bool second : {false, true})
      for (func::FuncOp function : module.getOps<func::FuncOp>())
        if (!function.isDeclaration() && takesGradients(function) == second &&
            failed(marker.mark(function)))
          return signalPassFailure();
  }
};

} // namespace
} // namespace pcc::strategy
