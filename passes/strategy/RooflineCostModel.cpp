// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/RooflineCostModel.h"

#include "dialects/dist/Group.h"
#include "passes/facts/CollectiveCost.h"
#include "passes/facts/Kernels.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;

namespace pcc::strategy {

static facts::Shape getLocalShape(Value value, const Sharding &sharding, const dist::Mesh &mesh) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? sharding.getLocalShape(type.getShape(), mesh) : facts::Shape{0};
}

static facts::OpShapes getLocalShapes(Operation *op, const OpSharding &opSharding,
                                      const dist::Mesh &mesh) {
  facts::OpShapes shapes;
  for (auto [operand, sharding] : llvm::zip_equal(op->getOperands(), opSharding.operands))
    shapes.operands.push_back(getLocalShape(operand, sharding, mesh));
  for (auto [result, sharding] : llvm::zip_equal(op->getResults(), opSharding.results))
    shapes.results.push_back(getLocalShape(result, sharding, mesh));
  return shapes;
}

const facts::KernelShare &RooflineCostModel::getShare(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return shares.try_emplace(function, function).first->second.of(op);
}

std::vector<double> RooflineCostModel::costOfOp(Operation *op, const facts::KernelShare &share,
                                                ArrayRef<OpSharding> opShardings) {
  facts::OpCostModel price(op, cluster.device(), share);
  std::vector<double> seconds;
  for (const OpSharding &opSharding : opShardings) {
    func::FuncOp form = local.build(op, opSharding);
    seconds.push_back(form ? costOfLocalForm(form)
                           : price.seconds(getLocalShapes(op, opSharding, mesh)));
  }
  return seconds;
}

double RooflineCostModel::costOfLocalForm(func::FuncOp function) const {
  facts::KernelShares shares(function);
  double seconds = 0;
  for (Operation &op : function.getBody().front().without_terminator())
    seconds += facts::isCollective(&op) ? facts::secondsOfCollective({&op}, mesh, cluster)
                                        : facts::OpCostModel(&op, cluster.device(), shares.of(&op))
                                              .seconds(facts::OpShapes::of(&op));
  return seconds;
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
      if (facts::isCollective(&inner))
        collectives.push_back(
            {describe(&inner, mesh), facts::secondsOfCollective({&inner}, mesh, cluster)});
  return collectives;
}

const facts::ReshardPlan &RooflineCostModel::planUse(RankedTensorType type, const Sharding &from,
                                                     const Sharding &to) {
  return planner.plan(from, to, type.getShape(), facts::getElementBytes(type));
}

std::vector<double> RooflineCostModel::costOfUses(RankedTensorType type,
                                                  ArrayRef<const Sharding *> from,
                                                  ArrayRef<const Sharding *> to) {
  int64_t elementBytes = facts::getElementBytes(type);
  std::vector<double> seconds;
  if (facts::dropTrivialAxes(mesh).getAxes().size() > facts::maxTableAxes) {
    for (const Sharding *left : from)
      for (const Sharding *right : to)
        seconds.push_back(planner.plan(*left, *right, type.getShape(), elementBytes).cost);
    return seconds;
  }
  const facts::ReshardTable &table = tables.get(type.getShape(), elementBytes);
  auto find = [&](const Sharding *sharding) { return table.getGraph().find(*sharding); };
  std::vector<unsigned> columns;
  for (const Sharding *right : to)
    columns.push_back(find(right));
  for (const Sharding *left : from)
    for (unsigned row = find(left); unsigned column : columns)
      seconds.push_back(table(row, column));
  return seconds;
}

} // namespace pcc::strategy
