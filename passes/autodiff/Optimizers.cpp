// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/Optimizers.h"

#include "passes/autodiff/OptionList.h"

using namespace mlir;

namespace pcc::autodiff {

static SmallVector<Value> buildSgd(ImplicitLocOpBuilder &builder, const OptimizerSpec &spec,
                                   const UpdateOperands &operands) {
  auto step = graph::SgdOp::create(builder, operands.parameter, operands.gradient, operands.rate,
                                   llvm::APFloat(spec.weightDecay));
  return {step.getNewParameter()};
}

static SmallVector<Value> buildMomentum(ImplicitLocOpBuilder &builder, const OptimizerSpec &spec,
                                        const UpdateOperands &operands) {
  auto step = graph::MomentumOp::create(
      builder, operands.parameter, operands.gradient, operands.states[0], operands.rate,
      llvm::APFloat(spec.momentum), llvm::APFloat(spec.weightDecay), spec.nesterov);
  return {step.getNewParameter(), step.getNewVelocity()};
}

static constexpr StringRef sgdOptions[] = {"lr", "weight_decay"};
static constexpr StringRef momentumOptions[] = {"lr", "momentum", "weight_decay", "nesterov"};
static constexpr StringRef momentumStates[] = {"velocity"};

static constexpr OptimizerKind optimizers[] = {
    {"sgd", sgdOptions, {}, buildSgd},
    {"momentum", momentumOptions, momentumStates, buildMomentum},
};

static llvm::Expected<const OptimizerKind *> findOptimizer(StringRef name) {
  SmallVector<StringRef> known;
  for (const OptimizerKind &kind : optimizers) {
    if (kind.name == name)
      return &kind;
    known.push_back(kind.name);
  }
  return makeError("unknown optimizer '", name, "'; known: ", quotedList(known));
}

static llvm::Error setOption(OptimizerSpec &spec, const Option &option) {
  if (option.key == "lr")
    return parseNumber(option).moveInto(spec.learningRate);
  if (option.key == "momentum")
    return parseNumber(option).moveInto(spec.momentum);
  if (option.key == "weight_decay")
    return parseNumber(option).moveInto(spec.weightDecay);
  return parseSwitch(option).moveInto(spec.nesterov);
}

static llvm::Error setOptions(OptimizerSpec &spec, StringRef owner, ArrayRef<Option> options) {
  if (llvm::Error error = checkOptions(owner, options, spec.kind->options))
    return error;
  for (const Option &option : options)
    if (llvm::Error error = setOption(spec, option))
      return error;
  if (llvm::none_of(options, [](const Option &option) { return option.key == "lr"; }))
    return makeError(owner, " needs a learning rate: add lr=NUMBER");
  return llvm::Error::success();
}

llvm::Expected<OptimizerSpec> parseOptimizer(StringRef text) {
  auto [name, rest] = text.split(',');
  auto kind = findOptimizer(name.trim());
  if (!kind)
    return kind.takeError();
  OptimizerSpec spec;
  spec.kind = *kind;
  std::string owner = ("optimizer '" + spec.kind->name + "'").str();
  auto options = splitOptions(owner, rest);
  if (!options)
    return options.takeError();
  if (llvm::Error error = setOptions(spec, owner, *options))
    return error;
  return spec;
}

} // namespace pcc::autodiff
