// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SeparateModes: separates training from evaluation. Assumes @forward, and @forward_loss unless
// @forward has a loss of its own. Leaves
//
//   @forward_loss   batch norms take the statistics of the batch and return the new running ones as
//                   parameters; random numbers differ from run to run
//   @forward        batch norms take the running statistics, dropout drops nothing
//
// Ops that take another form keep their attributes. A model whose modes do not differ stays as it
// is. Statistics are fixed if no parameter holds them, or if gradients train that parameter. Such a
// batch norm keeps its inference form, with a warning unless batch norms are frozen.
#include "dialects/graph/decompose/DecompositionBuilder.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/Signature.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace pcc::autodiff {

#define GEN_PASS_DEF_SEPARATEMODES
#include "passes/autodiff/Passes.h.inc"

/// Distance between the seeds of one op in successive runs: the increment of SplitMix64, so that
/// small seeds of different ops do not meet.
static constexpr uint64_t seedStride = 0x9e3779b97f4a7c15u;

/// Returns whether `value` is a parameter that no gradient trains.
static bool isState(Value value) {
  if (!isParameter(value))
    return false;
  auto argument = cast<BlockArgument>(value);
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  StringRef name = graph::getName(graph::getArgRole(function, argument.getArgNumber()));
  auto declaration = function->getParentOfType<ModuleOp>().lookupSymbol<graph::ParameterOp>(name);
  return declaration && !declaration.getTrainable();
}

/// Returns whether the two modes of `op` differ.
static bool hasModes(Operation &op) {
  if (auto norm = dyn_cast<graph::BatchNormInferenceOp>(op))
    return isState(norm.getMean()) && isState(norm.getVariance());
  return isa<graph::BatchNormOp, graph::DropoutOp, graph::RngUniformOp>(op);
}

//===------------------------------------------------------------------------------------------===//
// Training
//===------------------------------------------------------------------------------------------===//

/// Replaces the inference form of a batch norm by the batch norm that is trained.
static graph::BatchNormOp trainStatistics(graph::BatchNormInferenceOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto trained = graph::BatchNormOp::create(
      builder, TypeRange{op.getType(), op.getMean().getType(), op.getVariance().getType()},
      op.getInput(), op.getScale(), op.getBias(), op.getMean(), op.getVariance(),
      op.getEpsilonAttr(), op.getMomentumAttr(), op.getUnbiasedAttr());
  trained->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(trained.getResult());
  op.erase();
  return trained;
}

/// Lets `function` return `value` as the new value of the parameter `old`, unless it returns one
/// already.
static void returnParameter(func::FuncOp function, Value value, Value old) {
  unsigned argument = cast<BlockArgument>(old).getArgNumber();
  StringRef name = graph::getName(graph::getArgRole(function, argument));
  if (graph::findResult(function, graph::RoleKind::Parameter, name))
    return;
  unsigned position = function.getNumResults();
  getReturn(function)->insertOperands(position, value);
  LogicalResult added =
      function.insertResult(position, value.getType(),
                            roleAttributes(function.getContext(), graph::RoleKind::Parameter, name,
                                           shardingOfArgument(function, argument)));
  assert(succeeded(added) && "a position behind the results is legal");
  (void)added;
}

/// Newest value of each running statistic. Several batch norms may share one, for example if a
/// model applies a module more than once. Each of them then starts from the value that the one
/// before it left.
using RunningStatistics = llvm::MapVector<Value, Value>;

/// Lets the batch norm that computes `now` from `old` start from the newest value.
static void advance(RunningStatistics &statistics, OpOperand &old, Value now) {
  if (!isState(old.get()))
    return;
  auto [entry, isFirst] = statistics.insert({old.get(), now});
  if (isFirst)
    return;
  old.set(entry->second);
  entry->second = now;
}

/// Puts batch norms into training form. Fails on a batch norm that would leave two new values of
/// one parameter.
static LogicalResult trainBatchNorms(func::FuncOp function, bool freezes) {
  RunningStatistics statistics;
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    auto norm = dyn_cast<graph::BatchNormOp>(op);
    if (auto fixed = dyn_cast<graph::BatchNormInferenceOp>(op); fixed && !freezes && hasModes(op))
      norm = trainStatistics(fixed);
    if (!norm)
      continue;
    if (norm.getMean() == norm.getVariance() && isState(norm.getMean()))
      return norm->emitOpError("expected two parameters as running mean and running variance, got "
                               "the same one; store it twice");
    advance(statistics, norm.getMeanMutable(), norm.getNewMean());
    advance(statistics, norm.getVarianceMutable(), norm.getNewVariance());
  }
  for (auto [old, now] : statistics)
    returnParameter(function, now, old);
  return success();
}

/// Warns of batch norms that are trained with fixed statistics, and says why.
static void warnOfFixedStatistics(func::FuncOp function) {
  for (auto norm : function.getOps<graph::BatchNormInferenceOp>())
    for (auto [what, value] : {std::pair("mean", norm.getMean()), {"variance", norm.getVariance()}})
      if (!isState(value)) {
        norm.emitWarning() << "the batch norm is trained with fixed statistics: expected a "
                              "parameter for its running "
                           << what
                           << ", got a value that is computed, constant or trained by gradients; "
                              "'--freeze-batch-norm' keeps all statistics";
        break;
      }
}

/// Returns the argument that numbers the runs of `function`, found or added.
static Value getRunNumber(func::FuncOp function) {
  if (std::optional<unsigned> known = graph::findArg(function, graph::RoleKind::Step))
    return function.getArgument(*known);
  auto type = RankedTensorType::get({}, IntegerType::get(function.getContext(), 64));
  return insertArgument(function, function.getNumArguments(), type, graph::RoleKind::Step, "",
                        function.getLoc());
}

/// Adds the run number times the stride to the seed, operand `operand` of `op`.
static void varySeed(Operation &op, unsigned operand, Value number) {
  graph::DecompositionBuilder builder(&op);
  auto type = cast<RankedTensorType>(number.getType());
  Value stride =
      builder.make<graph::ConstantOp>(type, DenseElementsAttr::get(type, APInt(64, seedStride)));
  Value seed = builder.castTo(op.getOperand(operand), type.getElementType());
  Value distance = builder.make<graph::MulOp>(number, stride);
  op.setOperand(operand, builder.make<graph::AddOp>(seed, distance));
}

static void varySeeds(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    if (auto dropout = dyn_cast<graph::DropoutOp>(op))
      varySeed(op, dropout.getSeedMutable().getOperandNumber(), getRunNumber(function));
    else if (auto random = dyn_cast<graph::RngUniformOp>(op))
      varySeed(op, random.getSeedMutable().getOperandNumber(), getRunNumber(function));
  }
}

//===------------------------------------------------------------------------------------------===//
// Evaluation
//===------------------------------------------------------------------------------------------===//

static void useRunningStatistics(graph::BatchNormOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto fixed = graph::BatchNormInferenceOp::create(
      builder, op.getResult().getType(), op.getInput(), op.getScale(), op.getBias(), op.getMean(),
      op.getVariance(), op.getEpsilonAttr(), op.getMomentumAttr(), op.getUnbiasedAttr());
  fixed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(ValueRange{fixed.getResult(), op.getMean(), op.getVariance()});
  op.erase();
}

/// Drops the updated parameters from the results; evaluation leaves them as they are.
static LogicalResult dropParameters(func::FuncOp function) {
  llvm::BitVector dropped(function.getNumResults());
  for (unsigned index : graph::findResults(function, graph::RoleKind::Parameter))
    dropped.set(index);
  getReturn(function)->eraseOperands(dropped);
  return function.eraseResults(dropped);
}

static LogicalResult evaluate(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (auto norm = dyn_cast<graph::BatchNormOp>(op)) {
      useRunningStatistics(norm);
    } else if (auto dropout = dyn_cast<graph::DropoutOp>(op)) {
      dropout.replaceAllUsesWith(dropout.getInput());
      dropout.erase();
    }
  }
  return dropParameters(function);
}

/// Returns @forward_loss. Makes it here if @forward has a loss of its own, so that the modes may
/// differ.
static func::FuncOp getTrained(ModuleOp module, func::FuncOp forward) {
  if (auto existing = module.lookupSymbol<func::FuncOp>(forwardLossName))
    return existing;
  OpBuilder builder(forward);
  builder.setInsertionPointAfter(forward);
  auto copy = cast<func::FuncOp>(builder.clone(*forward));
  copy.setName(forwardLossName);
  return copy;
}

struct SeparateModes : impl::SeparateModesBase<SeparateModes> {
  using SeparateModesBase::SeparateModesBase;

  LogicalResult separate(ModuleOp module) {
    func::FuncOp forward = findFunction(module, forwardName, "import a model first");
    if (!forward)
      return failure();
    if (!freezeBatchNorm)
      warnOfFixedStatistics(forward);
    if (llvm::none_of(forward.getBody().front(), hasModes))
      return success();
    func::FuncOp trained = getTrained(module, forward);
    if (failed(trainBatchNorms(trained, freezeBatchNorm)))
      return failure();
    varySeeds(trained);
    return evaluate(forward);
  }

  void runOnOperation() override {
    if (failed(separate(getOperation())))
      signalPassFailure();
  }
};

} // namespace pcc::autodiff
