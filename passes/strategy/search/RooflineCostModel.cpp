// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op with a local form is built in a scratch module and costed op by op. Any other op is costed
// on its local shapes. Reshards come from precomputed tables. Between two shardings that differ in
// many axes, the direct way is an upper bound.
#include "passes/strategy/search/SearchProblem.h"

#include "dialects/dist/Dist.h"
#include "dialects/dist/Group.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/cost/CollectiveCost.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "runtime/machine/Roofline.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;

namespace pcc::strategy {

const analysis::KernelShares &RooflineCostModel::getShares(func::FuncOp function) {
  return shares.try_emplace(function, function).first->second;
}

const analysis::KernelShare &RooflineCostModel::getShare(Operation *op) {
  return getShares(op->getParentOfType<func::FuncOp>()).of(op);
}

std::vector<double> RooflineCostModel::costOfOp(Operation *op, const analysis::KernelShare &share,
                                                ArrayRef<OpSharding> opShardings) {
  analysis::OpCostModel price(op, cluster.device(), share);
  std::vector<double> seconds;
  for (const OpSharding &opSharding : opShardings) {
    func::FuncOp form = local.build(op, opSharding);
    seconds.push_back(form ? costOfLocalForm(form)
                           : price.seconds(getLocalShapes(op, opSharding, mesh)));
  }
  return seconds;
}

/// Runs the ops in their order on two streams, as the program will: kernels on one, collectives on
/// the other. An op begins when its stream is free and its operands are computed.
double RooflineCostModel::costOfLocalForm(func::FuncOp function) const {
  analysis::KernelShares shares(function);
  llvm::DenseMap<Value, double> computed; ///< arguments exist from the beginning
  double kernels = 0, collectives = 0;    ///< when each stream is free
  for (Operation &op : function.getBody().front().without_terminator()) {
    bool isCollective = analysis::isCollective(&op);
    double &stream = isCollective ? collectives : kernels;
    for (Value operand : op.getOperands())
      stream = std::max(stream, computed.lookup(operand));
    stream += isCollective ? analysis::secondsOfCollective({&op}, mesh, cluster)
                           : analysis::OpCostModel(&op, cluster.device(), shares.of(&op))
                                 .seconds(analysis::OpShapes::of(&op));
    for (Value result : op.getResults())
      computed[result] = stream;
  }
  return std::max(kernels, collectives);
}

/// Returns `all_reduce over dp, tp`, or only the kind if the groups do not lie along axes.
static std::string describe(Operation *collective, const dist::Mesh &mesh) {
  std::string text = collective->getName().stripDialect().str();
  auto grouped = dyn_cast<dist::CollectiveOpInterface>(collective);
  dist::AxisList axes;
  if (grouped)
    axes = dist::getGroupAxes(grouped.getGroupAttr(), mesh);
  return axes.empty() ? text : text + " over " + llvm::join(axes, ", ");
}

std::vector<OwnCollective> RooflineCostModel::listCollectives(Operation *op,
                                                              const OpSharding &opSharding) {
  std::vector<OwnCollective> collectives;
  if (func::FuncOp form = local.build(op, opSharding))
    for (Operation &inner : form.getBody().front().without_terminator())
      if (analysis::isCollective(&inner))
        collectives.push_back(
            {describe(&inner, mesh), analysis::secondsOfCollective({&inner}, mesh, cluster)});
  return collectives;
}

const analysis::ReshardPlan &RooflineCostModel::planUse(RankedTensorType type, const Sharding &from,
                                                        const Sharding &to) {
  return planCache.plan(from, to, type.getShape(), analysis::getElementBytes(type));
}

double RooflineCostModel::costOfReshard(RankedTensorType type, const Sharding &from,
                                        const Sharding &to) {
  int64_t elementBytes = analysis::getElementBytes(type);
  auto isSum = [](const Sharding &sharding) {
    return !sharding.isPartial() || sharding.getPartialKind() == ReduceKind::Sum;
  };
  if (isSum(from) && isSum(to))
    if (auto seconds = tables.find(from, to, type.getShape(), elementBytes))
      return *seconds;
  analysis::ReshardCostModel cost(cluster, mesh, elementBytes);
  return analysis::planDirectReshard(from, to, type.getShape(), mesh, cost).cost;
}

std::vector<double> RooflineCostModel::costOfReshards(RankedTensorType type,
                                                      ArrayRef<const Sharding *> from,
                                                      ArrayRef<const Sharding *> to) {
  int64_t elementBytes = analysis::getElementBytes(type);
  std::vector<double> seconds;
  if (analysis::dropTrivialAxes(mesh).getAxes().size() > analysis::maxTableAxes) {
    for (const Sharding *left : from)
      for (const Sharding *right : to)
        seconds.push_back(costOfReshard(type, *left, *right));
    return seconds;
  }
  const analysis::ReshardTable &table = tables.get(type.getShape(), elementBytes);
  auto find = [&](const Sharding *sharding) { return table.getGraph().find(*sharding); };
  std::vector<unsigned> columns;
  for (const Sharding *right : to)
    columns.push_back(find(right));
  for (const Sharding *left : from)
    for (unsigned row = find(left); unsigned column : columns)
      seconds.push_back(table(row, column));
  return seconds;
}

/// A reshard cuts a kernel in two: the first part writes the value, and the second reads it.
std::vector<double> RooflineCostModel::costOfUses(RankedTensorType type,
                                                  ArrayRef<const Sharding *> from,
                                                  ArrayRef<const Sharding *> to,
                                                  const Passage &passage) {
  const abi::DeviceFigures &device = cluster.device();
  auto secondsToMove = [&](const Sharding &sharding) {
    int64_t bytes = analysis::getNumBytes(analysis::getLocalType(type, sharding, mesh));
    return double(bytes) / machine::memoryRate(device);
  };
  std::vector<double> seconds = costOfReshards(type, from, to);
  for (auto [index, each] : llvm::enumerate(seconds)) {
    const Sharding &made = *from[index / to.size()], &wanted = *to[index % to.size()];
    if (made == wanted)
      continue;
    if (passage.isInKernel || (passage.needsMemory && analysis::isLocal(made, wanted)))
      each += device.launch_seconds().value();
    if (passage.isInKernel)
      each += secondsToMove(wanted) + (passage.isWritten ? 0 : secondsToMove(made));
  }
  return seconds;
}

LocalProgram::LocalProgram(MLIRContext *context, const dist::Mesh &mesh)
    : module(ModuleOp::create(UnknownLoc::get(context))), mesh(mesh) {
  (*module)->setAttr(dist::meshAttrName, dist::MeshAttr::get(context, mesh));
}

func::FuncOp LocalProgram::build(Operation *op, const OpSharding &sharding) {
  module->getBody()->clear();
  auto form = dyn_cast<analysis::LocalFormOpInterface>(op);
  if (!form)
    return {};
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function =
      func::FuncOp::create(builder, op->getLoc(), "local", builder.getFunctionType({}, {}));
  Block *body = function.addEntryBlock();
  IRMapping globals;
  SmallVector<Value> blocks;
  for (auto [operand, cut] : llvm::zip_equal(op->getOperands(), sharding.operands)) {
    Type type = analysis::getLocalType(operand.getType(), cut, mesh);
    blocks.push_back(body->addArgument(type, op->getLoc()));
    globals.map(operand, body->addArgument(operand.getType(), op->getLoc()));
  }
  SmallVector<Type> types;
  for (auto [result, cut] : llvm::zip_equal(op->getResults(), sharding.results))
    types.push_back(analysis::getLocalType(result.getType(), cut, mesh));
  builder.setInsertionPointToEnd(body);
  Operation *global = builder.clone(*op, globals);
  analysis::setShardings(global, sharding.operands, sharding.results);
  SmallVector<Value> results =
      cast<analysis::LocalFormOpInterface>(global).buildLocal(builder, blocks, types);
  global->erase();
  if (results.empty() || !results.front())
    return {};
  func::ReturnOp::create(builder, op->getLoc(), results);
  return function;
}

} // namespace pcc::strategy
