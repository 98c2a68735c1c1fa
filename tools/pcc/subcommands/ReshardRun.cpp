// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/subcommands/ReshardRun.h"

#include "compiler/interpret/compare/Verify.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "passes/partition/Passes.h"
#include "runtime/machine/Cluster.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::cli;

/// Builds a function that returns its argument; with `isSharded` it reshards from `pair.from` to
/// `pair.to`.
static OwningOpRef<ModuleOp> makeProgram(const ReshardPair &pair, bool isSharded,
                                         MLIRContext &context) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto type = RankedTensorType::get(pair.shape, builder.getF32Type());
  auto function = func::FuncOp::create(builder, loc, "reshard",
                                       builder.getFunctionType(TypeRange(type), TypeRange(type)));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value value = function.getArgument(0);
  if (isSharded) {
    auto from = dist::ShardingAttr::get(&context, pair.from);
    auto to = dist::ShardingAttr::get(&context, pair.to);
    (*module)->setAttr(dist::meshAttrName, dist::MeshAttr::get(&context, pair.mesh));
    function.setArgAttr(0, dist::shardingAttrName, from);
    function.setResultAttr(0, builder.getStringAttr(dist::shardingAttrName), to);
    value = dist::ReshardOp::create(builder, loc, type, value, from, to);
  }
  func::ReturnOp::create(builder, loc, value);
  return module;
}

interpret::Report pcc::cli::runReshard(const ReshardPair &pair, const abi::Cluster *cluster,
                                       MLIRContext &context) {
  OwningOpRef<ModuleOp> one = makeProgram(pair, /*isSharded=*/false, context);
  OwningOpRef<ModuleOp> many = makeProgram(pair, /*isSharded=*/true, context);
  partition::ReshardsToCollectivesOptions options;
  if (cluster)
    options.cluster = machine::toText(*cluster);
  PassManager passes(&context);
  passes.addPass(partition::createReshardsToCollectives(options));
  passes.addPass(partition::createLocalize());
  if (failed(passes.run(*many)))
    return {{{"reshard", interpret::CaseStatus::Failed, "the planned program is invalid"}}};
  return interpret::verifyModules(*one, *many);
}
