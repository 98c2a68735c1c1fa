// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Compiled.h"

#include "dialects/dist/Dist.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/reshard/ReshardPlan.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/strategy/propagate/FactorAxes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::conformance {
namespace {

std::vector<int64_t> toSorted(const dist::RankList &ranks) {
  std::vector<int64_t> sorted(ranks.begin(), ranks.end());
  llvm::sort(sorted);
  return sorted;
}

std::vector<int64_t> sliceOf(const Sharding &sharding, mlir::Value value, const Mesh &mesh) {
  auto slice = sharding.getLocalShape(cast<RankedTensorType>(value.getType()).getShape(), mesh);
  return {slice.begin(), slice.end()};
}

/// Returns how the annotations on the op split its factors: counts above one, and the count of
/// repeating ranks.
std::vector<int64_t> deviceMatrixOf(mlir::Operation *op, const Mesh &mesh) {
  strategy::FactorAxes factors(op, mesh);
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    factors.takeOperand(index, analysis::getOperandSharding(op, index));
  for (OpResult result : op->getResults())
    factors.takeResult(result.getResultNumber(), analysis::getSharding(result));
  std::vector<int64_t> matrix;
  for (const dist::AxisList &axes : factors.getAxes())
    if (int64_t count = mesh.getSize(axes); count > 1)
      matrix.push_back(count);
  if (int64_t repeats = mesh.getNumRanks() / factors.getNumParts(); repeats > 1)
    matrix.push_back(repeats);
  return matrix;
}

/// Collects nodes, reductions and reshards of a function.
class Reader {
public:
  Reader(Compiled &compiled, func::FuncOp function, const Model &model, int64_t rank)
      : compiled(compiled), mesh(compiled.mesh), rank(rank) {
    for (mlir::Operation &op : function.getBody().front())
      if (isa<FactorRuleOpInterface>(op))
        ops[analysis::getName(&op)] = &op;
    for (const auto &[name, sites] : model.nodes)
      readNode(name, sites);
    function.walk([&](dist::ReshardOp reshard) { readReshard(reshard, model); });
    llvm::sort(compiled.reductions);
  }

private:
  void readNode(const std::string &name, const NodeSites &sites) {
    CompiledNode &node = compiled.nodes[name];
    for (const Site &site : sites.operands)
      node.slices.in.push_back(sliceOf(analysis::getOperandSharding(ops[site.op], site.index),
                                       ops[site.op]->getOperand(site.index), mesh));
    for (const Site &site : sites.results) {
      mlir::Value result = ops[site.op]->getResult(site.index);
      node.slices.out.push_back(sliceOf(analysis::getSharding(result), result, mesh));
    }
    const Site &first = sites.results.front();
    mlir::Value result = ops[first.op]->getResult(first.index);
    node.deviceMatrix = deviceMatrixOf(ops[first.op], mesh);
    node.shape = cast<RankedTensorType>(result.getType()).getShape().vec();
    node.sharding = analysis::getSharding(result).withoutPartial();
    if (sites.isScattered)
      for (mlir::Operation *user : result.getUsers())
        if (auto reshard = dyn_cast<dist::ReshardOp>(user))
          node.sharding = reshard.getTo().getSharding();
  }

  void readReshard(dist::ReshardOp reshard, const Model &model) {
    const Sharding &from = reshard.getFrom().getSharding(), &to = reshard.getTo().getSharding();
    auto type = cast<RankedTensorType>(reshard.getType());
    analysis::ReshardPlan plan = analysis::planReshard(from, to, type.getShape(), mesh);
    compiled.received += plan.getReceived();
    if (!from.isPartial() || !reduced.insert(reshard.getInput()).second)
      return;
    bool isWhole = to == from.withoutPartial();
    compiled.reductions.push_back({isWhole ? "AllReduce" : "ReduceScatter",
                                   stringify(from.getPartialKind()).str(),
                                   toSorted(mesh.getGroup(rank, from.getPartialAxes()))});
    auto node = model.nodes.find(analysis::getName(reshard->getLoc()).str());
    bool isAskedFor = node != model.nodes.end() && node->second.isScattered;
    compiled.cutsWhileReducing |= !isWhole && !isAskedFor;
    if (isWhole && plan.steps.size() > 1)
      compiled.sharedReductions.push_back(plan.str());
  }

  Compiled &compiled;
  const Mesh &mesh;
  int64_t rank;
  llvm::StringMap<mlir::Operation *> ops; ///< by name
  llvm::DenseSet<mlir::Value> reduced;    ///< partial values already counted
};

} // namespace

Compiled::Compiled(ModuleOp module, const Model &model, int64_t rank)
    : mesh(dist::getMesh(module)) {
  Reader(*this, module.lookupSymbol<func::FuncOp>("forward"), model, rank);
}

} // namespace pcc::conformance
