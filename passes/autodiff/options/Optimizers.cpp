// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the optimizers in a table of options, states, defaults and a function that builds the op.
// The parser is shared, and so is the function of the Adam family. The update formulas are in
// dialects/graph/decompose/OptimizerDecomposition.cpp.
#include "passes/autodiff/options/Optimizers.h"

using namespace mlir;

namespace pcc::autodiff {

static SmallVector<Value> buildSgd(ImplicitLocOpBuilder &builder, const OptimizerSpec &spec,
                                   const UpdateOperands &operands) {
  auto step =
      graph::SgdOp::create(builder, operands.parameter, operands.gradient, operands.rate,
                           operands.scale, llvm::APFloat(spec.weightDecay), operands.zeroSkips);
  return {step.getNewParameter()};
}

static SmallVector<Value> buildMomentum(ImplicitLocOpBuilder &builder, const OptimizerSpec &spec,
                                        const UpdateOperands &operands) {
  auto step =
      graph::MomentumOp::create(builder, operands.parameter, operands.gradient, operands.states[0],
                                operands.rate, operands.scale, llvm::APFloat(spec.momentum),
                                llvm::APFloat(spec.weightDecay), spec.nesterov, operands.zeroSkips);
  return {step.getNewParameter(), step.getNewVelocity()};
}

static SmallVector<Value> buildAdagrad(ImplicitLocOpBuilder &builder, const OptimizerSpec &spec,
                                       const UpdateOperands &operands) {
  auto step =
      graph::AdagradOp::create(builder, operands.parameter, operands.gradient, operands.states[0],
                               operands.rate, operands.scale, llvm::APFloat(spec.epsilon),
                               llvm::APFloat(spec.weightDecay), operands.zeroSkips);
  return {step.getNewParameter(), step.getNewAccumulator()};
}

/// Builds Adam, or an op with the same operands and attributes.
template <typename Op>
static SmallVector<Value> buildAdam(ImplicitLocOpBuilder &builder, const OptimizerSpec &spec,
                                    const UpdateOperands &operands) {
  auto step =
      Op::create(builder, operands.parameter, operands.gradient, operands.states[0],
                 operands.states[1], operands.rate, operands.step, operands.scale,
                 llvm::APFloat(spec.beta1), llvm::APFloat(spec.beta2), llvm::APFloat(spec.epsilon),
                 llvm::APFloat(spec.weightDecay), operands.zeroSkips);
  return {step.getNewParameter(), step.getNewMoment1(), step.getNewMoment2()};
}

static constexpr StringRef sgdOptions[] = {"weight_decay"};
static constexpr StringRef momentumOptions[] = {"momentum", "weight_decay", "nesterov"};
static constexpr StringRef momentumStates[] = {"velocity"};
static constexpr StringRef adagradOptions[] = {"eps", "weight_decay"};
static constexpr StringRef adagradStates[] = {"accumulator"};
static constexpr StringRef adamOptions[] = {"beta1", "beta2", "eps", "weight_decay"};
static constexpr StringRef adamStates[] = {"moment1", "moment2"};

static constexpr OptimizerKind optimizers[] = {
    {"sgd", sgdOptions, {}, 0, false, buildSgd},
    {"momentum", momentumOptions, momentumStates, 0, false, buildMomentum},
    {"adam", adamOptions, adamStates, 1e-8, true, buildAdam<graph::AdamOp>},
    {"adam_weight_decay", adamOptions, adamStates, 1e-8, true, buildAdam<graph::AdamWeightDecayOp>},
    // The same update with the defaults of torch.optim.AdamW.
    {"adamw", adamOptions, adamStates, 1e-8, true, buildAdam<graph::AdamWeightDecayOp>, 0.01},
    {"lamb", adamOptions, adamStates, 1e-6, true, buildAdam<graph::LambOp>},
    {"adagrad", adagradOptions, adagradStates, 1e-10, false, buildAdagrad},
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

/// Parses a number in [0, 1).
static llvm::Expected<double> parseBeta(const Option &option) {
  double beta = 0;
  if (option.value.getAsDouble(beta) || !(beta >= 0 && beta < 1))
    return makeError("option '", option.key, "': expected a number in [0, 1), got '", option.value,
                     "'");
  return beta;
}

/// Parses a finite number above 0.
static llvm::Expected<double> parsePositive(const Option &option) {
  auto number = parseNumber(option);
  if (number && *number > 0)
    return number;
  llvm::consumeError(number.takeError());
  return makeError("option '", option.key, "': expected a number above 0, got '", option.value,
                   "'");
}

static llvm::Error setOption(OptimizerSpec &spec, const Option &option) {
  if (RateSchedule::isOption(option.key))
    return spec.rate.set(option);
  if (option.key == "momentum")
    return parseNumber(option).moveInto(spec.momentum);
  if (option.key == "beta1" || option.key == "beta2")
    return parseBeta(option).moveInto(option.key == "beta1" ? spec.beta1 : spec.beta2);
  if (option.key == "eps")
    return parsePositive(option).moveInto(spec.epsilon);
  if (option.key == "weight_decay")
    return parseNumber(option).moveInto(spec.weightDecay);
  return parseSwitch(option).moveInto(spec.nesterov);
}

static llvm::Error setOptions(OptimizerSpec &spec, StringRef owner, ArrayRef<Option> options) {
  auto known = llvm::to_vector(
      llvm::concat<const StringRef>(RateSchedule::listOptions(), spec.kind->options));
  if (llvm::Error error = checkOptions(owner, options, known))
    return error;
  for (const Option &option : options)
    if (llvm::Error error = setOption(spec, option))
      return error;
  return spec.rate.check(owner);
}

bool OptimizerSpec::takesStep() const { return kind->takesStep || rate.takesStep(); }

llvm::Expected<OptimizerSpec> parseOptimizer(StringRef text) {
  auto [name, rest] = text.split(',');
  auto kind = findOptimizer(name.trim());
  if (!kind)
    return kind.takeError();
  OptimizerSpec spec;
  spec.kind = *kind;
  spec.epsilon = spec.kind->epsilon;
  spec.weightDecay = spec.kind->weightDecay;
  std::string owner = ("optimizer '" + spec.kind->name + "'").str();
  auto options = splitOptions(owner, rest);
  if (!options)
    return options.takeError();
  if (llvm::Error error = setOptions(spec, owner, *options))
    return error;
  return spec;
}

} // namespace pcc::autodiff
