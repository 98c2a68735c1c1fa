// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists and declares the states of a training as a whole.
#include "passes/autodiff/TrainingState.h"

#include "dialects/graph/OptimizerState.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/program/TrainingStates.h"

using namespace mlir;

namespace pcc::autodiff {

bool isTrainingState(graph::ParameterOp parameter) {
  auto owner = parameter->getAttrOfType<FlatSymbolRefAttr>(graph::stateOfName);
  return owner && owner.getValue() == parameter.getSymName();
}

std::optional<unsigned> findCountedShare(func::FuncOp section) {
  StringRef name = getStateName(TrainingState::CountedShare);
  auto module = section->getParentOfType<ModuleOp>();
  auto state = module.lookupSymbol<graph::ParameterOp>(name);
  if (!state || !isTrainingState(state))
    return std::nullopt;
  return graph::findResult(section, graph::RoleKind::Gradient, name);
}

int64_t findLossStage(func::FuncOp section) {
  int64_t last = 0;
  for (auto transfer : section.getOps<pipe::TransferOp>())
    last = std::max<int64_t>(last, transfer.getTarget());
  return last;
}

StringRef getStateName(TrainingState state) {
  switch (state) {
  case TrainingState::Rate:
    return abi::learningRateState;
  case TrainingState::Norm:
    return abi::gradientNormState;
  case TrainingState::CountedShare:
    return abi::countedShareState;
  case TrainingState::Scale:
    return abi::lossScaleState;
  case TrainingState::GoodSteps:
    return abi::goodStepsState;
  case TrainingState::SkippedSteps:
    return abi::skippedStepsState;
  }
  llvm_unreachable("a state");
}

SmallVector<TrainingState> listTrainingStates(const GradientOptions &options, bool rateChanges,
                                              bool countsShare) {
  SmallVector<TrainingState> states;
  if (rateChanges)
    states.push_back(TrainingState::Rate);
  if (options.needsNorm())
    states.push_back(TrainingState::Norm);
  if (countsShare)
    states.push_back(TrainingState::CountedShare);
  if (options.isDynamic)
    states.append({TrainingState::Scale, TrainingState::GoodSteps});
  if (options.skips())
    states.push_back(TrainingState::SkippedSteps);
  return states;
}

FailureOr<graph::ParameterOp> declareTrainingState(Operation *before, TrainingState state,
                                                   double first, int64_t virtualStage) {
  StringRef name = getStateName(state);
  if (Operation *taken = before->getParentOfType<ModuleOp>().lookupSymbol(name))
    return taken->emitError() << "'" << name
                              << "' is the name of a state of the training: rename this symbol";
  OpBuilder builder(before);
  bool isCount = state == TrainingState::GoodSteps || state == TrainingState::SkippedSteps;
  Type element = isCount ? Type(builder.getI64Type()) : builder.getF32Type();
  auto init = graph::InitAttr::get(
      builder.getContext(), first == 0 ? graph::InitKind::Zeros : graph::InitKind::Constant,
      builder.getDenseF64ArrayAttr(first == 0 ? ArrayRef<double>() : ArrayRef(first)));
  auto parameter = graph::ParameterOp::create(builder, before->getLoc(), name,
                                              RankedTensorType::get({}, element), init,
                                              /*value=*/ElementsAttr(), /*trainable=*/false);
  parameter->setAttr(graph::stateOfName, FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
  parameter->setAttr(pipe::virtualStageAttrName, builder.getI64IntegerAttr(virtualStage));
  return parameter;
}

} // namespace pcc::autodiff
