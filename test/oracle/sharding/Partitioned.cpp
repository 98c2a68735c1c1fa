// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/Partitioned.h"

#include "compiler/interpret/compare/Verify.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/Passes.h"
#include "passes/partition/forms/LocalForms.h"
#include "passes/strategy/propagate/Propagation.h"

using namespace mlir;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::test {

/// Returns `sharding` with `axis` as an additional partial axis.
static std::vector<Sharding> addPartialAxis(const Sharding &sharding, const std::string &axis) {
  AxisList partialAxes = sharding.getPartialAxes();
  partialAxes.push_back(axis);
  if (sharding.isPartial())
    return {sharding.withPartial(partialAxes, sharding.getPartialKind())};
  std::vector<Sharding> all;
  for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min, ReduceKind::Prod})
    all.push_back(sharding.withPartial(partialAxes, kind));
  return all;
}

/// Returns `shardings`, and each of them with `axis` added in all ways.
static std::vector<Sharding> addAxis(ArrayRef<Sharding> shardings, const std::string &axis) {
  std::vector<Sharding> all;
  for (const Sharding &sharding : shardings) {
    all.push_back(sharding);
    llvm::append_range(all, addPartialAxis(sharding, axis));
    for (int64_t dim = 0; dim < sharding.getRank(); ++dim)
      for (size_t place = 0; place <= sharding.getDim(dim).size(); ++place) {
        Sharding cut = sharding;
        cut.getDim(dim).insert(cut.getDim(dim).begin() + place, axis);
        all.push_back(cut);
      }
  }
  return all;
}

std::vector<Sharding> listShardings(ArrayRef<int64_t> shape, const Mesh &mesh) {
  std::vector<Sharding> all = {Sharding::replicated(shape.size())};
  for (const dist::MeshAxis &axis : mesh.getAxes())
    all = addAxis(all, axis.name);
  llvm::erase_if(all, [&](const Sharding &one) { return !one.verify(shape, mesh).empty(); });
  return all;
}

Sharding pickSharding(ArrayRef<int64_t> shape, const Mesh &mesh, std::mt19937_64 &random) {
  std::vector<Sharding> all = listShardings(shape, mesh);
  return all[random() % all.size()];
}

std::string typeText(ArrayRef<int64_t> shape, StringRef element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element.str() + ">";
}

std::string markText(const Sharding &sharding) {
  return "{dist.sharding = #dist.sharding<" + sharding.str() + ">}";
}

/// Propagates the shardings of the arguments to the ops of each function.
static void propagate(ModuleOp module, const Mesh &mesh) {
  analysis::ReshardPlanCache planCache(mesh);
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    strategy::Propagation propagation(function, planCache);
    for (BlockArgument argument : function.getArguments())
      propagation.seed(argument, analysis::getSharding(argument));
    propagation.run();
    propagation.finish();
    propagation.annotate();
  }
}

/// Removes the shardings and the mesh, for one device.
static void stripMarks(ModuleOp module) {
  module->removeAttr(dist::meshAttrName);
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      function.removeArgAttr(index, dist::shardingAttrName);
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      function.removeResultAttr(index,
                                StringAttr::get(function.getContext(), dist::shardingAttrName));
  }
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registry.insert<func::FuncDialect, graph::GraphDialect, dist::DistDialect, pipe::PipeDialect>();
  partition::registerLocalForms(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->loadAllAvailableDialects();
  return context;
}

LogicalResult partitionMarked(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(partition::createInsertReshards());
  passes.addPass(partition::createReshardsToCollectives());
  passes.addPass(partition::createLocalize());
  return passes.run(module);
}

static interpret::Report failedReport(StringRef text, StringRef reason) {
  interpret::Report failed;
  failed.cases.push_back({text.str(), interpret::CaseStatus::Failed, reason.str()});
  return failed;
}

interpret::Report comparePartitioned(ModuleOp marked) {
  OwningOpRef<ModuleOp> single = marked.clone(), ranks = marked.clone();
  stripMarks(*single);
  propagate(*ranks, dist::getMesh(marked));
  if (mlir::failed(partitionMarked(*ranks)))
    return failedReport("partition", "a pass failed");
  return interpret::verifyModules(*single, *ranks);
}

interpret::Report comparePartitioned(const std::string &functions, const Mesh &mesh) {
  std::unique_ptr<MLIRContext> context = makeContext();
  std::string text =
      "module attributes {dist.mesh = #dist.mesh<" + mesh.str() + ">} {\n" + functions + "}\n";
  auto marked = parseSourceString<ModuleOp>(text, context.get());
  return marked ? comparePartitioned(*marked) : failedReport(text, "does not parse");
}

} // namespace pcc::test
