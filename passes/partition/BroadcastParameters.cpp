// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BroadcastParameters: makes @start_training, which runs once before the first step and gives every
// rank the parameters of rank 0:
//
//   @start_training(whole parameters and states) -> (the same)      one dist.broadcast each
//
// Sharded parameters, and `layerwise_parallel` ones, stay as they are. Assumes the programs of one
// rank, with shardings on the boundaries of functions.
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/sharding/Reasons.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc;
using pcc::graph::RoleKind;

namespace pcc::partition {

#define GEN_PASS_DEF_BROADCASTPARAMETERS
#include "passes/partition/Passes.h.inc"

namespace {

/// Parameters that every rank should hold replicated, by role, each with an argument of the step's
/// sections.
using ReplicatedParameters = llvm::MapVector<graph::RoleAttr, BlockArgument>;

ReplicatedParameters findReplicatedParameters(ModuleOp module) {
  SymbolTable symbols(module);
  ReplicatedParameters replicated;
  for (analysis::Section &section : analysis::collectSections(module))
    for (BlockArgument argument : section.function.getArguments()) {
      graph::RoleAttr role = section.getArgumentRole(argument.getArgNumber());
      if (section.runs == 0 || !role || role.getKind() != RoleKind::Parameter)
        continue;
      auto parameter = symbols.lookup<graph::ParameterOp>(graph::getName(role));
      bool isOwn = parameter && parameter.getLayerwiseParallel();
      if (!isOwn && analysis::getSharding(argument).isReplicated())
        replicated.insert({role, argument});
    }
  return replicated;
}

/// Returns a location that says who asked for the broadcast of a parameter.
Location makeLoc(BlockArgument parameter, Location loc) {
  analysis::Request request;
  request.value = request.reader = analysis::describeValue(parameter);
  request.toReason = "parameter_broadcast: all ranks begin with the values of rank 0";
  return analysis::withRequest(loc, request);
}

void buildStart(ModuleOp module, const ReplicatedParameters &replicated) {
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto &[role, argument] : replicated) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    types.push_back(argument.getType());
    attributes.push_back(function.getArgAttrDict(argument.getArgNumber()));
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = NameLoc::get(builder.getStringAttr("parameter_broadcast"));
  auto start =
      func::FuncOp::create(builder, loc, pipe::startName, builder.getFunctionType(types, types));
  start.setArgAttrsAttr(builder.getArrayAttr(attributes));
  start.setResAttrsAttr(builder.getArrayAttr(attributes));
  start->setAttr(dist::localAttrName, builder.getUnitAttr());
  start.setPrivate(); // a part of the step
  builder.setInsertionPointToStart(start.addEntryBlock());
  SmallVector<Value> results;
  for (BlockArgument argument : start.getArguments())
    results.push_back(dist::BroadcastOp::create(builder, makeLoc(argument, loc), argument.getType(),
                                                argument,
                                                /*root=*/0, dist::GroupAttr()));
  func::ReturnOp::create(builder, loc, results);
}

struct BroadcastParameters : impl::BroadcastParametersBase<BroadcastParameters> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (dist::getMesh(module).getNumRanks() == 1)
      return;
    if (Operation *taken = module.lookupSymbol(pipe::startName)) {
      taken->emitError() << "'" << pipe::startName
                         << "' is the name of the section that broadcasts parameters: rename this "
                            "symbol";
      return signalPassFailure();
    }
    if (ReplicatedParameters replicated = findReplicatedParameters(module); !replicated.empty())
      buildStart(module, replicated);
  }
};

} // namespace
} // namespace pcc::partition
