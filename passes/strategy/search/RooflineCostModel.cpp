// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op with a local form is built in a scratch module and costed op by op. Any other op is costed
// on its local shapes. Reshards come from precomputed tables. Between two shardings that differ in
// many axes, the direct way is an upper bound.
#include "passes/strategy/search/SearchProblem.h"

#include "dialects/dist/Dist.h"
#include "dialects/dist/Group.h"
#include "dialects/graph/decompose/Decompose.h"
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

const analysis::ExpectedKernels &RooflineCostModel::getKernels(func::FuncOp function) {
  std::unique_ptr<analysis::ExpectedKernels> &known = kernels[function];
  if (!known)
    known = std::make_unique<analysis::ExpectedKernels>(function);
  return *known;
}

ArrayRef<analysis::ExpectedPart> RooflineCostModel::getParts(Operation *op) {
  return getKernels(op->getParentOfType<func::FuncOp>()).partsOf(op);
}

/// Returns the seconds of `op` on its own shapes as a part with this share.
static double secondsOfPart(Operation *op, const analysis::KernelShare &share,
                            const abi::Cluster &cluster) {
  return analysis::OpCostModel(op, cluster.device(), share).seconds(analysis::OpShapes::of(op));
}

/// Returns the seconds of the ops of a function without collectives.
static double secondsAlone(ArrayRef<Operation *> ops, const abi::Cluster &cluster) {
  if (ops.empty())
    return 0;
  analysis::KernelShares shares(ops.front()->getParentOfType<func::FuncOp>());
  double seconds = 0;
  for (Operation *op : ops)
    seconds += secondsOfPart(op, shares.of(op), cluster);
  return seconds;
}

/// The parts of a core op are the op itself, on its local shapes. Composites are expanded on these.
/// A local form stands alone, without the kernels around it. What it takes more than its op, if
/// that stands alone as well, is added to the op's parts.
double RooflineCostModel::costOfOp(Operation *op, const OpSharding &opSharding) {
  ArrayRef<analysis::ExpectedPart> parts = getParts(op);
  double seconds = 0;
  func::FuncOp form = local.build(op, opSharding);
  if (!form && !graph::findDecomposition(op->getName().getStringRef())) {
    analysis::OpShapes shapes = getLocalShapes(op, opSharding, mesh);
    for (const analysis::ExpectedPart &part : parts)
      seconds += analysis::OpCostModel(op, cluster.device(), part.share).seconds(shapes);
    return seconds;
  }
  double formAlone = form ? costOfLocalForm(form).seconds : 0;
  SmallVector<Operation *> core = local.expand(op, opSharding);
  auto isSame = [&](const analysis::ExpectedPart &part) {
    return part.index < core.size() && core[part.index]->getName() == part.op->getName();
  };
  if (!llvm::all_of(parts, isSame)) // the size of an axis decides what a cumsum becomes
    return form ? formAlone : secondsAlone(core, cluster);
  for (const analysis::ExpectedPart &part : parts)
    seconds += secondsOfPart(core[part.index], part.share, cluster);
  return form ? seconds + std::max(0.0, formAlone - secondsAlone(core, cluster)) : seconds;
}

/// Runs the ops in their order on two streams, as the program will: kernels on one, collectives on
/// the other. An op begins when its stream is free and its operands are computed.
RooflineCostModel::FormCost RooflineCostModel::costOfLocalForm(func::FuncOp function) const {
  analysis::KernelShares shares(function);
  llvm::DenseMap<Value, double> computed;            ///< arguments exist from the beginning
  double kernels = 0, collectives = 0, inSeries = 0; ///< when each stream is free; all ops
  for (Operation &op : function.getBody().front().without_terminator()) {
    bool isCollective = analysis::isCollective(&op);
    double &stream = isCollective ? collectives : kernels;
    for (Value operand : op.getOperands())
      stream = std::max(stream, computed.lookup(operand));
    double seconds = isCollective ? analysis::secondsOfCollective({&op}, mesh, cluster)
                                  : secondsOfPart(&op, shares.of(&op), cluster);
    stream += seconds;
    inSeries += seconds;
    for (Value result : op.getResults())
      computed[result] = stream;
  }
  double seconds = std::max(kernels, collectives);
  return {seconds, inSeries - seconds};
}

double RooflineCostModel::secondsHidden(Operation *op, const OpSharding &opSharding) {
  func::FuncOp form = local.build(op, opSharding);
  return form ? costOfLocalForm(form).hidden : 0;
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

/// Adds a function that takes the blocks of the operands of `op`, and has no ops yet.
func::FuncOp LocalProgram::addFunction(Operation *op, const OpSharding &sharding) {
  module->getBody()->clear();
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function =
      func::FuncOp::create(builder, op->getLoc(), "local", builder.getFunctionType({}, {}));
  Block *body = function.addEntryBlock();
  for (auto [operand, cut] : llvm::zip_equal(op->getOperands(), sharding.operands))
    body->addArgument(analysis::getLocalType(operand.getType(), cut, mesh), op->getLoc());
  return function;
}

/// Returns the types of the blocks of the results of `op`.
static SmallVector<Type> getLocalResultTypes(Operation *op, const OpSharding &sharding,
                                             const dist::Mesh &mesh) {
  SmallVector<Type> types;
  for (auto [result, cut] : llvm::zip_equal(op->getResults(), sharding.results))
    types.push_back(analysis::getLocalType(result.getType(), cut, mesh));
  return types;
}

func::FuncOp LocalProgram::build(Operation *op, const OpSharding &sharding) {
  if (!isa<analysis::LocalFormOpInterface>(op))
    return {};
  func::FuncOp function = addFunction(op, sharding);
  Block &body = function.getBody().front();
  SmallVector<Value> blocks(body.getArguments());
  IRMapping globals;
  for (Value operand : op->getOperands())
    globals.map(operand, body.addArgument(operand.getType(), op->getLoc()));
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  Operation *global = builder.clone(*op, globals);
  analysis::setShardings(global, sharding.operands, sharding.results);
  SmallVector<Value> results = cast<analysis::LocalFormOpInterface>(global).buildLocal(
      builder, blocks, getLocalResultTypes(op, sharding, mesh));
  global->erase();
  if (results.empty() || !results.front())
    return {};
  func::ReturnOp::create(builder, op->getLoc(), results);
  for (Operation &each : llvm::make_early_inc_range(body.without_terminator()))
    analysis::expand(&each);
  return function;
}

SmallVector<Operation *> LocalProgram::expand(Operation *op, const OpSharding &sharding) {
  Block &body = addFunction(op, sharding).getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  IRMapping blocks;
  blocks.map(op->getOperands(), body.getArguments());
  Operation *local = builder.clone(*op, blocks);
  for (auto [result, type] :
       llvm::zip_equal(local->getResults(), getLocalResultTypes(op, sharding, mesh)))
    result.setType(type);
  func::ReturnOp::create(builder, op->getLoc(), local->getResults());
  return analysis::expand(local);
}

} // namespace pcc::strategy
