// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AttachLoss: copies @forward to @forward_loss and ends the copy with a loss. The loss replaces the
// outputs, and the labels become one more input after the others. A loss that the model computes is
// one of its outputs and needs no labels. Results that are updated parameters (running statistics)
// stay. @forward itself is unchanged, because evaluation runs it.
// In a model that is only evaluated, @forward takes the labels. Only readers of its outputs compare
// the outputs with the labels.
#include "dialects/graph/ModuleFacts.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/Signature.h"
#include "passes/autodiff/options/Losses.h"
#include "passes/autodiff/options/OptionList.h"

using namespace mlir;

namespace pcc::autodiff {

#define GEN_PASS_DEF_ATTACHLOSS
#include "passes/autodiff/Passes.h.inc"

/// Returns the index in `indices` whose role has `name`; the only index if `name` is empty. Errors
/// list the names.
static FailureOr<unsigned> pick(func::FuncOp function, StringRef what, StringRef name,
                                ArrayRef<unsigned> indices) {
  SmallVector<StringRef> names;
  for (unsigned index : indices) {
    names.push_back(graph::getName(graph::getResultRole(function, index)));
    if (!name.empty() && names.back() == name)
      return index;
  }
  if (name.empty() && indices.size() == 1)
    return indices.front();
  InFlightDiagnostic error = function.emitError();
  if (name.empty())
    error << "expected the name of one " << what << " in --loss, got " << indices.size()
          << " to choose from";
  else
    error << "no " << what << " named '" << name << "'";
  return error << "; " << what << "s: " << quotedList(names);
}

/// Adds an input after the others, or first if there are none.
static Value addInput(func::FuncOp function, StringRef name, Type type) {
  SmallVector<unsigned> inputs = graph::findArgs(function, graph::RoleKind::Input);
  unsigned position = inputs.empty() ? 0 : inputs.back() + 1;
  Location loc = NameLoc::get(StringAttr::get(function.getContext(), name));
  return insertArgument(function, position, type, graph::RoleKind::Input, name, loc);
}

static StringRef getLabelsName(const LossSpec &spec) {
  return spec.labels.empty() ? StringRef("labels") : StringRef(spec.labels);
}

/// Returns the argument with the labels, found or added; null after an error.
static Value getLabels(func::FuncOp function, const LossSpec &spec, RankedTensorType prediction) {
  StringRef name = getLabelsName(spec);
  std::optional<unsigned> found = graph::findArg(function, graph::RoleKind::Input, name);
  if (!found)
    return addInput(function, name, spec.kind->labelsType(prediction));
  auto type = dyn_cast<RankedTensorType>(function.getArgument(*found).getType());
  std::string wrong = type ? spec.kind->checkLabels(prediction, type, spec) : "expected a tensor";
  if (wrong.empty())
    return function.getArgument(*found);
  function.emitError() << "input '" << name << "' cannot hold the labels of a prediction of type "
                       << prediction << ": " << wrong;
  return {};
}

static func::FuncOp cloneAs(func::FuncOp function, StringRef name) {
  OpBuilder builder(function);
  builder.setInsertionPointAfter(function);
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  copy.setName(name);
  return copy;
}

/// Checks and returns the type of the prediction, which is result `index`.
static FailureOr<RankedTensorType> getPrediction(func::FuncOp forward, const LossSpec &spec,
                                                 unsigned index) {
  auto type = dyn_cast<RankedTensorType>(forward.getResultTypes()[index]);
  std::string wrong = type ? spec.kind->checkPrediction(type) : "expected a tensor";
  if (wrong.empty())
    return type;
  return forward.emitError() << "output '" << graph::getName(graph::getResultRole(forward, index))
                             << "' does not suit loss '" << spec.kind->name << "': " << wrong
                             << " (its type is " << forward.getResultTypes()[index] << ")";
}

/// Returns the sharding of the loss. Ranks that judge different parts of a prediction each have a
/// loss of their own, and the loss is their sum.
static dist::ShardingAttr lossBoundary(dist::ShardingAttr prediction) {
  if (!prediction || !prediction.getSharding().isSplit())
    return {};
  dist::AxisList axes = prediction.getSharding().getSplitAxes();
  return dist::ShardingAttr::get(prediction.getContext(),
                                 dist::Sharding({}, axes, ReduceKind::Sum));
}

static LogicalResult attachLoss(ModuleOp module, const LossSpec &spec, bool labelsOnly) {
  func::FuncOp forward = findFunction(module, forwardName, "import a model first");
  if (!forward)
    return failure();
  if (!graph::findResults(forward, graph::RoleKind::Loss).empty())
    return forward.emitError() << "the model has a loss of its own: leave --loss out";
  if (auto attached = module.lookupSymbol(forwardLossName))
    return attached->emitError() << "a loss is attached already, in '" << forwardLossName << "'";
  FailureOr<unsigned> index = pick(forward, "output", spec.prediction,
                                   graph::findResults(forward, graph::RoleKind::Output));
  if (failed(index))
    return failure();
  FailureOr<RankedTensorType> prediction = getPrediction(forward, spec, *index);
  if (failed(prediction))
    return failure();
  if (!spec.kind->build) {
    if (labelsOnly)
      return success();
    func::FuncOp withLoss = cloneAs(forward, forwardLossName);
    Value loss = getReturn(withLoss).getOperand(*index);
    returnLoss(withLoss, loss, boundaryOfResult(forward, *index));
    return success();
  }
  graph::recordLoss(module, {spec.kind->name, graph::getName(graph::getResultRole(forward, *index)),
                             getLabelsName(spec)});
  if (labelsOnly)
    return success(getLabels(forward, spec, *prediction) != nullptr);

  func::FuncOp withLoss = cloneAs(forward, forwardLossName);
  Value labels = getLabels(withLoss, spec, *prediction);
  if (!labels)
    return failure();
  func::ReturnOp end = getReturn(withLoss);
  Location loc = NameLoc::get(StringAttr::get(module.getContext(), "loss"), end.getLoc());
  ImplicitLocOpBuilder builder(loc, end);
  Value loss = spec.kind->build(builder, end.getOperand(*index), labels, spec);
  returnLoss(withLoss, loss, lossBoundary(boundaryOfResult(forward, *index)));
  return success();
}

struct AttachLoss : impl::AttachLossBase<AttachLoss> {
  using AttachLossBase::AttachLossBase;

  void runOnOperation() override {
    llvm::Expected<LossSpec> spec = parseLoss(loss);
    if (!spec) {
      getOperation().emitError() << llvm::toString(spec.takeError());
      return signalPassFailure();
    }
    if (failed(attachLoss(getOperation(), *spec, labelsOnly)))
      signalPassFailure();
  }
};

} // namespace pcc::autodiff
