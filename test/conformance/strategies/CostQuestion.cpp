// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/CostQuestion.h"

#include "test/conformance/strategies/NodeGraph.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using pcc::strategy::FactorCounts;
using pcc::strategy::MemoryOp;
using pcc::strategy::MemoryProblem;
using pcc::strategy::MemorySpace;

namespace pcc::conformance {

Tuples readTuples(const llvm::json::Array &array) {
  Tuples tuples;
  for (const llvm::json::Value &tuple : array)
    tuples.push_back(integers(*tuple.getAsArray()));
  return tuples;
}

static void take(FactorCounts &counts, const TensorFactors &dims, const Shape &tuple) {
  for (auto [factors, count] : llvm::zip_equal(dims, tuple))
    if (factors.size() == 1)
      counts[factors.front()] = std::max(counts[factors.front()], count);
}

/// A tuple whose length differs from the operand's rank belongs to the result (OneHot).
FactorCounts countFactors(const MemoryOp &op, const Tuples &tuples) {
  FactorCounts counts(op.rule.getFactors().size(), 1);
  for (auto [operand, tuple] : llvm::zip(op.operands, tuples))
    if (operand.tensor.dims.size() == tuple.size())
      take(counts, operand.tensor.dims, tuple);
    else if (op.results.front().dims.size() == tuple.size())
      take(counts, op.results.front().dims, tuple);
  return counts;
}

static const llvm::json::Object &optionsOf(const Case &question) {
  static const llvm::json::Object none;
  const llvm::json::Object *options = question.object->getObject("options");
  return options ? *options : none;
}

static strategy::MemoryModel readWeights(const Case &question) {
  const llvm::json::Object &options = optionsOf(question);
  strategy::MemoryModel model;
  model.alpha = options.getNumber("costmodel_alpha").value_or(model.alpha);
  model.beta = options.getNumber("costmodel_beta").value_or(model.beta);
  model.gamma = options.getNumber("costmodel_gamma").value_or(model.gamma);
  return model;
}

/// Makes the space of strategies. Only MindSpore's dynamic programming has costs of
/// reshapes.
static MemorySpace makeSpace(const Case &question) {
  const llvm::json::Object &options = optionsOf(question);
  MemorySpace space;
  space.devices = question.devices;
  if (options.getBoolean("fully_use_devices").value_or(false))
    space.use = analysis::DeviceUse::Full;
  space.elementwiseFollows = options.getBoolean("elementwise_op_strategy_follow").value_or(false);
  space.detachesReshapes = question.mode == "dynamic_programming";
  if (!isFullBatch(question))
    space.countFed = [devices = question.devices](BlockArgument) { return devices; };
  return space;
}

CostQuestion::CostQuestion(const Case &question, ModuleOp module)
    : question(question), graph(makeNodeGraph(question, module)), model(readWeights(question)),
      space(makeSpace(question)) {
  llvm::DenseMap<mlir::Operation *, FactorCounts> given;
  for (const strategy::MemoryNode &node : graph.nodes) {
    names.push_back(conformance::findNode(question, node.op).str());
    for (const Node &asked : question.nodes)
      if (asked.name == names.back())
        if (std::optional<Tuples> tuples = ModelWriter::strategyOf(asked))
          given[node.op] = countFactors(node.modelOp, *tuples);
  }
  if (question.mode == "dynamic_programming") // recursive programming there ignores them
    space.findGiven = [given](mlir::Operation *op) { return given.lookup(op); };
}

int CostQuestion::findNode(llvm::StringRef name) const {
  auto it = llvm::find(names, name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

std::optional<std::vector<FactorCounts>> CostQuestion::readTheirs() const {
  const llvm::json::Object *strategies = question.object->getObject("strategies");
  std::vector<FactorCounts> counts;
  for (auto [node, name] : llvm::zip_equal(graph.nodes, names)) {
    const llvm::json::Array *tuples = strategies ? strategies->getArray(name) : nullptr;
    if (!tuples)
      return std::nullopt;
    counts.push_back(countFactors(node.modelOp, readTuples(*tuples)));
  }
  return counts;
}

strategy::MemoryCost CostQuestion::getCost(const std::vector<FactorCounts> &counts) const {
  llvm::DenseMap<mlir::Operation *, FactorCounts> given;
  for (auto [node, nodeCounts] : llvm::zip_equal(graph.nodes, counts))
    given[node.op] = nodeCounts;
  MemorySpace pinned = space;
  pinned.findGiven = [&](mlir::Operation *op) { return given.lookup(op); };
  MemoryProblem problem(graph, std::move(pinned), model);
  return problem.getCost(solve::StrategySolution(counts.size(), 0));
}

bool isSameCost(double ours, double theirs) {
  return std::abs(ours - theirs) <= 1e-5 * std::max(1.0, std::abs(theirs));
}

} // namespace pcc::conformance
