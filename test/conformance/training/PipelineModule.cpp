// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/training/Pipeline.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/StageSections.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using pcc::graph::RoleKind;

namespace pcc::conformance {

/// Returns the node for which an op was made: gradients carry its name around their own.
static StringRef nodeOf(Operation *op) {
  StringRef name;
  Location location = op->getLoc();
  while (true) {
    if (auto named = dyn_cast<NameLoc>(location)) {
      name = named.getName();
      location = named.getChildLoc();
    } else if (auto fused = dyn_cast<FusedLoc>(location);
               fused && fused.getLocations().size() == 1) {
      location = fused.getLocations().front(); // around it are the reasons of a sharding
    } else {
      return name;
    }
  }
}

static bool isForward(StringRef section) { return section.starts_with(analysis::forwardTrainName); }
static bool isUpdate(StringRef section) { return section == "update"; }

/// Returns the number after the point of `forward_train.1`.
static int64_t chunkOf(StringRef section) {
  int64_t chunk = 0;
  section.rsplit('.').second.getAsInteger(10, chunk);
  return chunk;
}

/// Returns pcc's mnemonic of an operator.
static std::string mnemonicOf(const Node &node) {
  return node.op == "ReduceMean" ? "graph.reduce" : "graph." + StringRef(node.op).lower();
}

void markStages(const Case &question, ModuleOp module) {
  Builder b(module.getContext());
  for (const Node &node : question.nodes)
    if (std::optional<int64_t> stage = node.object->getInteger("stage"))
      module.walk([&](Operation *op) {
        if (analysis::getName(op) == node.name && isa<NameLoc>(op->getLoc()))
          op->setAttr(pipe::stageAttrName, b.getI64IntegerAttr(*stage));
      });
}

namespace {

/// Walks over the ops that a stage runs in a step.
class Walker {
public:
  Walker(const Case &question, ModuleOp module) : options(question), module(module) {}

  /// Calls `visit` with each op and its action.
  void walk(function_ref<void(Operation *, pipe::ActionOp)> visit) {
    for (auto slot : analysis::getStep(module).getBody().getOps<pipe::ActionOp>())
      for (Operation &op : module.lookupSymbol<func::FuncOp>(slot.getSection()).getBody().front())
        visit(&op, slot);
  }

  std::optional<Message> message(Operation *op, pipe::ActionOp slot) const {
    int64_t position = options.rank % options.ranks;
    auto make = [&](bool sends, Type type, int64_t stage) {
      return Message{isForward(slot.getSection()), sends,
                     cast<RankedTensorType>(type).getShape().vec(),
                     stage * options.ranks + position, slot.getMicrobatch()};
    };
    if (auto send = dyn_cast<pipe::SendOp>(op))
      return make(true, send.getInput().getType(), send.getStage());
    if (auto recv = dyn_cast<pipe::RecvOp>(op))
      return make(false, recv.getType(), recv.getStage());
    return std::nullopt;
  }

  const StepOptions options;
  ModuleOp module;
};

/// Records the places of events.
class Placer {
public:
  void at(const std::string &text, int64_t time) {
    auto [place, isNew] = places.try_emplace(text, Place{time, time});
    place->second.last = time;
  }
  Places places;
};

} // namespace

/// Returns the node whose own operator, not an auxiliary op, is `op`; null if there is none.
static const Node *findNode(const Case &question, Operation *op) {
  StringRef name = analysis::getName(op), kind = op->getName().getStringRef();
  auto node = llvm::find_if(question.nodes, [&](const Node &node) {
    return node.name == name && mnemonicOf(node) == kind;
  });
  return node == question.nodes.end() ? nullptr : &*node;
}

PipelineRank readPipelineModule(const Case &question, ModuleOp module,
                                const std::map<std::string, double> &factors) {
  PipelineRank rank;
  Walker walker(question, module);
  rank.parameters = readStepModule(module, factors, walker.options);
  walker.walk([&](Operation *op, pipe::ActionOp slot) {
    StringRef section = slot.getSection();
    if (std::optional<Message> message = walker.message(op, slot))
      rank.messages.push_back(*message);
    else if (const Node *node = isForward(section) ? findNode(question, op) : nullptr)
      rank.nodes[llvm::formatv("{0} in chunk {1}", node->name, chunkOf(section))] = 1;
  });
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned index : graph::findResults(function, RoleKind::Loss))
      if (auto sum =
              function.getResultAttrOfType<pipe::AccumulateAttr>(index, pipe::accumulateAttrName))
        rank.lossScale = sum.getScale();
  return rank;
}

/// Records the events of an op of @update: reductions of gradients and updates of parameters.
static void placeUpdate(Operation *op, int64_t time, Placer &placer) {
  auto update = op->getParentOfType<func::FuncOp>();
  if (isa<dist::CollectiveOpInterface>(op))
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand))
        if (graph::RoleAttr role = graph::getArgRole(update, argument.getArgNumber());
            role && role.getKind() == RoleKind::Gradient)
          placer.at(parameterText("reduce gradient", graph::getName(role)), time);
  for (OpOperand &use : op->getUses())
    if (use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      if (graph::RoleAttr role = graph::getResultRole(update, use.getOperandNumber());
          role && role.getKind() == RoleKind::Parameter)
        placer.at(parameterText("update", graph::getName(role)), time);
}

/// Records the gradients that the end of a section accumulates.
static void placeSums(func::FuncOp function, int64_t time, Placer &placer) {
  for (unsigned index : graph::findResults(function, RoleKind::Gradient))
    placer.at(parameterText("add gradient", graph::getName(graph::getResultRole(function, index))),
              time);
}

Places readPlaces(const Case &question, ModuleOp module) {
  Walker walker(question, module);
  Placer placer;
  int64_t time = 0;
  walker.walk([&](Operation *op, pipe::ActionOp slot) {
    StringRef section = slot.getSection();
    ++time;
    if (std::optional<Message> message = walker.message(op, slot))
      return placer.at(message->str(), time);
    if (isUpdate(section))
      return placeUpdate(op, time, placer);
    int64_t microbatch = slot.getMicrobatch().value_or(0);
    placer.at(callText(isForward(section), chunkOf(section), microbatch), time);
    if (op->hasTrait<OpTrait::IsTerminator>())
      placeSums(op->getParentOfType<func::FuncOp>(), time, placer);
    else if (StringRef node = nodeOf(op); !node.empty())
      placer.at(nodeText(isForward(section), node, microbatch), time);
  });
  return placer.places;
}

} // namespace pcc::conformance
