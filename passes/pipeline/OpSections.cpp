// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds virtual stages by union-find over the values that no transfer separates, then labels each
// class from its transfers and parameters. Finds forward ops by a walk back from the loss. A walk
// in reverse program order then tells ops of one gradient from ops of several. The ops of one
// gradient are a chain. A chain without a product joins the weights' part only if that keeps at
// most as many more bytes as its gradient has.
#include "passes/pipeline/OpSections.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::pipeline {

//===--- VirtualStageMap ------------------------------------------------===//

namespace {

/// Groups of values that no transfer separates.
class Groups {
public:
  explicit Groups(func::FuncOp function) : function(function) {}

  void build();
  LogicalResult label(const ParameterVirtualStages &parameters);
  void read(llvm::DenseMap<Operation *, int64_t> &virtualStages,
            ParameterVirtualStages &parameters) const;

private:
  /// A transfer has two nodes, first that of its operand.
  unsigned addNode() { return count++; }
  std::optional<unsigned> nodeOf(Value value) const;
  LogicalResult setVirtualStage(unsigned node, int64_t virtualStage, Operation *by);

  func::FuncOp function;
  unsigned count = 0;
  llvm::IntEqClasses classes;
  llvm::DenseMap<Operation *, unsigned> nodeOfOp;
  llvm::DenseMap<Value, unsigned> nodeOfArgument;
  /// Virtual stage of a class, and an op that determines it.
  struct Label {
    int64_t virtualStage = -1;
    Operation *by = nullptr;
  };
  std::vector<Label> labels;
};

std::optional<unsigned> Groups::nodeOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto known = nodeOfArgument.find(value);
    return known == nodeOfArgument.end() ? std::nullopt : std::optional(known->second);
  }
  auto known = nodeOfOp.find(value.getDefiningOp());
  if (known == nodeOfOp.end())
    return std::nullopt;
  return known->second + (isa<pipe::TransferOp>(value.getDefiningOp()) ? 1 : 0);
}

/// Returns whether an argument belongs to one virtual stage.
static bool belongsToVirtualStage(RoleAttr role) {
  return role && (role.getKind() == RoleKind::Parameter || role.getKind() == RoleKind::Gradient);
}

void Groups::build() {
  for (BlockArgument argument : function.getArguments())
    if (belongsToVirtualStage(getArgRole(function, argument.getArgNumber())))
      nodeOfArgument[argument] = addNode();
  std::vector<std::pair<unsigned, unsigned>> joined;
  for (Operation &op : function.getBody().front().without_terminator()) {
    bool isTransfer = isa<pipe::TransferOp>(op);
    bool belongs = isTransfer || llvm::any_of(op.getOperands(), [&](Value operand) {
                     return nodeOf(operand).has_value();
                   });
    if (!belongs)
      continue;
    unsigned node = nodeOfOp[&op] = addNode();
    if (isTransfer)
      addNode();
    for (Value operand : op.getOperands())
      if (std::optional<unsigned> other = nodeOf(operand))
        joined.emplace_back(node, *other);
  }
  classes.grow(count);
  for (auto [a, b] : joined)
    classes.join(a, b);
  classes.compress();
  labels.resize(classes.getNumClasses());
}

LogicalResult Groups::setVirtualStage(unsigned node, int64_t virtualStage, Operation *by) {
  Label &label = labels[classes[node]];
  if (label.virtualStage < 0)
    label = {virtualStage, by};
  if (label.virtualStage == virtualStage)
    return success();
  InFlightDiagnostic error =
      by->emitError() << "expected values that are connected without a transfer to be in one "
                         "virtual stage, got "
                      << label.virtualStage << " and " << virtualStage
                      << ": run \"--pipeline-insert-transfers\" first";
  error.attachNote(label.by->getLoc())
      << "virtual stage " << label.virtualStage << " is given here";
  return error;
}

LogicalResult Groups::label(const ParameterVirtualStages &parameters) {
  for (auto [argument, node] : nodeOfArgument) {
    unsigned index = cast<BlockArgument>(argument).getArgNumber();
    auto known = parameters.find(getName(getArgRole(function, index)));
    if (known != parameters.end() && failed(setVirtualStage(node, known->second, function)))
      return failure();
  }
  for (auto transfer : function.getOps<pipe::TransferOp>()) {
    unsigned node = nodeOfOp.lookup(transfer);
    if (failed(setVirtualStage(node, transfer.getSource(), transfer)) ||
        failed(setVirtualStage(node + 1, transfer.getTarget(), transfer)))
      return failure();
  }
  return success();
}

void Groups::read(llvm::DenseMap<Operation *, int64_t> &virtualStages,
                  ParameterVirtualStages &parameters) const {
  auto virtualStageOf = [&](unsigned node) {
    return std::max<int64_t>(labels[classes[node]].virtualStage, 0);
  };
  for (auto [op, node] : nodeOfOp)
    if (!isa<pipe::TransferOp>(op))
      virtualStages[op] = virtualStageOf(node);
  for (auto [argument, node] : nodeOfArgument) {
    func::FuncOp owner = function;
    RoleAttr role = getArgRole(owner, cast<BlockArgument>(argument).getArgNumber());
    parameters.try_emplace(getName(role), virtualStageOf(node));
  }
}

} // namespace

FailureOr<VirtualStageMap> VirtualStageMap::find(func::FuncOp function,
                                                 ParameterVirtualStages &parameters) {
  Groups groups(function);
  groups.build();
  if (failed(groups.label(parameters)))
    return failure();
  VirtualStageMap map;
  groups.read(map.virtualStages, parameters);
  return map;
}

//===--- TrainingParts --------------------------------------------------===//

namespace {

/// Goal of an op: nothing, the gradient of one parameter, or more.
struct Goal {
  enum Kind { Nothing, OneGradient, More } kind = Nothing;
  unsigned result = 0; ///< of the function, if it is one gradient

  void add(Goal other) {
    if (kind == Nothing)
      *this = other;
    else if (other.kind != Nothing && (other.kind == More || other.result != result))
      kind = More;
  }
};

} // namespace

TrainingParts::TrainingParts(func::FuncOp function, bool splitsBackward) {
  for (Operation &op : function.getBody().front())
    parts[&op] = TrainingPart::BackwardInput;
  findForward(function);
  if (splitsBackward)
    findWeights(function);
}

void TrainingParts::findForward(func::FuncOp function) {
  SmallVector<Value> needed;
  Operation *end = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    RoleAttr role = getResultRole(function, index);
    if (!role || role.getKind() != RoleKind::Gradient)
      needed.push_back(value);
  }
  for (auto transfer : function.getOps<pipe::TransferOp>())
    if (transfer.getSource() < transfer.getTarget())
      needed.push_back(transfer.getResult());
  while (!needed.empty()) {
    Operation *op = needed.pop_back_val().getDefiningOp();
    if (!op || parts[op] == TrainingPart::Forward)
      continue;
    parts[op] = TrainingPart::Forward;
    llvm::append_range(needed, op->getOperands());
  }
}

namespace {
/// The ops that lead to one gradient and to nothing else.
struct GradientChain {
  SmallVector<Operation *> ops;
  Value gradient;

  /// Whether it multiplies matrices, so that it takes long enough to fill gaps in a schedule.
  bool multiplies() const {
    return llvm::any_of(ops, [](Operation *op) {
      return isa<MatmulOp, EinsumOp>(op) || analysis::isConvolution(op);
    });
  }
  /// Adds the values that the chain reads and that must be kept until it runs.
  void addKept(llvm::DenseSet<Value> &kept) const {
    for (Operation *op : ops)
      for (Value operand : op->getOperands()) {
        Value root = analysis::viewRoot(operand);
        if (Operation *producer = root.getDefiningOp();
            producer && !llvm::is_contained(ops, producer))
          kept.insert(root);
      }
  }
};
} // namespace

/// Returns the bytes of those of `values` that are not in `others`.
static int64_t getBytesBeyond(const llvm::DenseSet<Value> &values,
                              const llvm::DenseSet<Value> &others) {
  int64_t bytes = 0;
  for (Value value : values)
    if (!others.contains(value))
      bytes += analysis::getNumBytes(cast<RankedTensorType>(value.getType()));
  return bytes;
}

void TrainingParts::findWeights(func::FuncOp function) {
  llvm::DenseMap<Operation *, Goal> goals;
  llvm::MapVector<unsigned, GradientChain> chains; // by result of the function
  for (Operation &op : llvm::reverse(function.getBody().front().without_terminator())) {
    if (parts[&op] == TrainingPart::Forward)
      continue;
    Goal &goal = goals[&op];
    if (isa<pipe::TransferOp>(op))
      goal.kind = Goal::More;
    for (OpOperand &use : op.getUses()) {
      bool isReturned = use.getOwner()->hasTrait<OpTrait::IsTerminator>();
      goal.add(isReturned ? Goal{Goal::OneGradient, use.getOperandNumber()}
                          : goals.lookup(use.getOwner()));
    }
    if (goal.kind == Goal::OneGradient)
      chains[goal.result].ops.push_back(&op);
  }
  llvm::DenseSet<Value> kept; // until the weights' part, for matrix products
  for (auto &[result, chain] : chains) {
    chain.gradient = function.getBody().front().getTerminator()->getOperand(result);
    if (chain.multiplies())
      chain.addKept(kept);
  }
  for (auto &[result, chain] : chains) {
    llvm::DenseSet<Value> own;
    chain.addKept(own);
    auto type = cast<RankedTensorType>(chain.gradient.getType());
    if (chain.multiplies() || getBytesBeyond(own, kept) <= analysis::getNumBytes(type))
      for (Operation *op : chain.ops)
        parts[op] = TrainingPart::BackwardWeight;
  }
}

} // namespace pcc::pipeline
