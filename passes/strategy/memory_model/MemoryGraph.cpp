// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the forward ops of a section. A map from values to their sources looks through
// reshapes, and operands look through broadcasts. Uses of values without a source are dropped.
#include "passes/strategy/memory_model/MemoryModel.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace pcc;
using pcc::graph::RoleKind;

namespace pcc::strategy {
namespace {

RankedTensorType getTensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

MemoryTensor makeTensor(Value value, TensorFactors dims) {
  RankedTensorType type = getTensorType(value);
  return {llvm::to_vector<4>(type.getShape()), std::move(dims), analysis::getElementBytes(type)};
}

/// Returns the factors of the input of `broadcast`, given those of its result. A repeated dimension
/// has no factors.
TensorFactors projectThrough(graph::BroadcastOp broadcast, const TensorFactors &result) {
  ArrayRef<int64_t> from = getTensorType(broadcast.getInput()).getShape();
  ArrayRef<int64_t> to = getTensorType(broadcast.getResult()).getShape();
  TensorFactors dims;
  for (auto [size, dim] : llvm::zip_equal(from, broadcast.getDims()))
    dims.push_back(size == to[dim] ? result[dim] : DimFactors());
  return dims;
}

MemoryCostRule getCostRule(Operation *op) {
  if (isa<graph::MatmulOp>(op))
    return MemoryCostRule::Matmul;
  if (isa<graph::Conv2dOp>(op))
    return MemoryCostRule::Convolution;
  if (isa<graph::ConcatOp>(op))
    return MemoryCostRule::Concat;
  if (isa<graph::GatherOp>(op))
    return MemoryCostRule::Gather;
  auto reduce = dyn_cast<graph::ReduceOp>(op);
  return reduce && reduce.getKind() == graph::ReduceOpKind::Mean ? MemoryCostRule::Mean
                                                                 : MemoryCostRule::Any;
}

/// The section whose forward ops have costs. Its results leave the program unless `trains` is set.
struct Forward {
  func::FuncOp function;
  bool trains = false;
};

Forward findForward(ModuleOp module) {
  Forward found;
  for (analysis::Section &section : analysis::collectSections(module)) {
    bool updates = !graph::findArgs(section.function, RoleKind::Gradient).empty();
    if (!updates && (!found.function || (section.runs > 0 && !found.trains)))
      found = {section.function, section.runs > 0};
  }
  return found;
}

Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

class Builder {
public:
  explicit Builder(MemoryGraph &graph) : graph(graph) {}

  void run(const Forward &forward) {
    graph.function = forward.function;
    for (BlockArgument argument : graph.function.getArguments())
      addArgument(argument);
    Block &body = graph.function.getBody().front();
    for (Operation &op : body)
      if (isForwardOp(&op) && op.getNumOperands() > 0 &&
          !isa<graph::BroadcastOp, graph::ReshapeOp>(op))
        addNode(&op);
    if (!forward.trains)
      for (Value value : body.getTerminator()->getOperands())
        addOutput(value);
  }

private:
  void addArgument(BlockArgument argument) {
    graph::RoleAttr role = graph::getArgRole(graph.function, argument.getArgNumber());
    RoleKind kind = role ? role.getKind() : RoleKind::Input;
    if (kind == RoleKind::Parameter) {
      auto module = graph.function->getParentOfType<ModuleOp>();
      auto parameter = module.lookupSymbol<graph::ParameterOp>(graph::getName(role));
      isTrained[argument] = !parameter || parameter.getTrainable();
    } else if (kind == RoleKind::Input && getTensorType(argument).getRank() > 0) {
      sources[argument].input = argument;
    }
  }

  void addNode(Operation *op) {
    int index = static_cast<int>(graph.nodes.size());
    MemoryOp modelOp{cast<FactorRuleOpInterface>(op).getFactorRule(), getCostRule(op), {}, {}};
    for (auto [number, dims] : llvm::enumerate(modelOp.rule.getOperands()))
      modelOp.operands.push_back(read(op->getOperand(number), dims, index, number));
    for (auto [result, dims] : llvm::zip_equal(op->getResults(), modelOp.rule.getResults())) {
      MemorySource &source = sources[result];
      source.node = index;
      source.result = result.getResultNumber();
      modelOp.results.push_back(makeTensor(result, dims));
    }
    graph.nodes.push_back({op, std::move(modelOp)});
  }

  /// Returns the operand that `node` reads as its operand `number`, and records the use.
  MemoryOperand read(Value value, TensorFactors dims, int node, unsigned number) {
    while (auto broadcast = value.getDefiningOp<graph::BroadcastOp>()) {
      dims = projectThrough(broadcast, dims);
      value = broadcast.getInput();
    }
    MemoryOperand operand{makeTensor(value, std::move(dims)),
                          isTrained.lookup(skipReshapes(value))};
    addUse(value, {{}, node, number, operand.tensor});
    return operand;
  }

  void addUse(Value value, MemoryUse use) {
    Value source = skipReshapes(value);
    auto found = sources.find(source);
    if (found == sources.end() || found->second.isNowhere())
      return;
    use.from = found->second;
    if (source != value)
      use.from.reshaped = value;
    graph.uses.push_back(std::move(use));
  }

  void addOutput(Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()); type && type.getRank() > 0)
      addUse(value, {{}, -1, 0, makeTensor(value, TensorFactors(type.getRank()))});
  }

  MemoryGraph &graph;
  llvm::DenseMap<Value, MemorySource> sources;
  llvm::DenseMap<Value, bool> isTrained;
};

} // namespace

bool isForwardOp(Operation *op) {
  return isa<FactorRuleOpInterface>(op) && !analysis::getDerivedFrom(op);
}

MemoryGraph::MemoryGraph(ModuleOp module) {
  if (Forward forward = findForward(module); forward.function)
    Builder(*this).run(forward);
}

} // namespace pcc::strategy
