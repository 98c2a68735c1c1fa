// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates a program for data parallelism: inputs are split along the batch over all ranks,
// parameters are replicated. Assumes global shapes and roles on arguments and results. Leaves the
// ops unchanged, with a sharding on each. A dataset strategy only determines how inputs are fed;
// the ops still split the batch.
#include "dialects/graph/Roles.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/constraints/ConstraintResolver.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;
using pcc::graph::RoleKind;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYDATAPARALLEL
#include "passes/strategy/Passes.h.inc"

namespace {

struct DataParallel : impl::StrategyDataParallelBase<DataParallel> {
  using StrategyDataParallelBase::StrategyDataParallelBase;

  LogicalResult setMesh(ModuleOp module) {
    if (module->hasAttr(dist::meshAttrName))
      return success();
    if (failed(checkNumRanks(module, deviceNum)))
      return failure();
    const dist::MeshAxis axis{dist::batchAxisName.str(), deviceNum};
    module->setAttr(dist::meshAttrName, dist::MeshAttr::get(&getContext(), dist::Mesh(axis)));
    return success();
  }

  static LogicalResult checkBatches(func::FuncOp function, int64_t ranks) {
    for (unsigned index : graph::findArgs(function, RoleKind::Input)) {
      auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
      if (!type || type.getRank() == 0 || type.getDimSize(0) % ranks == 0)
        continue;
      int64_t batch = type.getDimSize(0);
      return function.emitError() << "batch of " << batch << " is not divisible by " << ranks
                                  << " ranks; counts that divide: " << dist::listDivisors(batch);
    }
    return success();
  }

  static void replicateParameters(func::FuncOp function, SeedShardings &given) {
    for (unsigned index : graph::findArgs(function, RoleKind::Parameter))
      if (auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]))
        given.set(graph::getArgRole(function, index), Sharding::replicated(type.getRank()),
                  analysis::Reasons::makeWhole(function.getContext(),
                                               "data_parallel: each rank holds the parameters"));
  }

  /// Refines the mesh as the dataset strategy requires.
  LogicalResult feed(dist::Mesh &mesh, SeedShardings &given) {
    if (datasetStrategy.empty())
      return success();
    ConstraintResolver resolver(getOperation(), mesh, mesh.getNumRanks());
    if (failed(resolver.feed(datasetStrategy)))
      return failure();
    mesh = resolver.resolve(given);
    getOperation()->setAttr(dist::meshAttrName, dist::MeshAttr::get(&getContext(), mesh));
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(setMesh(module)))
      return signalPassFailure();
    dist::Mesh mesh = dist::getMesh(module);
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration() && failed(checkBatches(function, mesh.getNumRanks())))
        return signalPassFailure();
    SeedShardings given;
    if (failed(feed(mesh, given)))
      return signalPassFailure();
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      replicateParameters(function, given);
    given.fullBatch = fullBatch;
    double factor = gradientsMean ? 1 : static_cast<double>(mesh.getNumRanks());
    given.gradientFactor = [=](StringRef, const Sharding &, const dist::Mesh &) { return factor; };
    given.gradientRemedy = "the ranks add theirs; '--gradients-mean' takes their mean";
    ShardingAnnotator(module, mesh, std::move(given)).run();
  }
};

} // namespace
} // namespace pcc::strategy
