// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the options of a schedule. Builds the rate as scalar f32 ops on the number of the step, so
// that the program itself computes it.
#include "passes/autodiff/options/Optimizers.h"

#include "dialects/graph/decompose/DecompositionBuilder.h"
#include "llvm/ADT/StringSwitch.h"

#include <numbers>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

ArrayRef<StringRef> RateSchedule::listOptions() {
  static constexpr StringRef options[] = {"lr",     "schedule", "steps", "every",
                                          "factor", "least",    "warmup"};
  return options;
}

bool RateSchedule::isOption(StringRef key) { return llvm::is_contained(listOptions(), key); }

/// Parses a number of steps.
static llvm::Expected<int64_t> parseSteps(const Option &option) {
  auto number = parseInteger(option);
  if (!number || *number > 0)
    return number;
  return makeError("option '", option.key, "': expected a number of steps above 0, got ", *number);
}

llvm::Error RateSchedule::set(const Option &option) {
  if (option.key == "schedule") {
    auto found = llvm::StringSwitch<std::optional<Kind>>(option.value)
                     .Case("constant", Kind::Constant)
                     .Case("step", Kind::Step)
                     .Case("cosine", Kind::Cosine)
                     .Case("linear", Kind::Linear)
                     .Default(std::nullopt);
    if (!found)
      return makeError("unknown schedule '", option.value,
                       "'; known: 'constant', 'step', 'cosine', 'linear'");
    kind = *found;
    return llvm::Error::success();
  }
  if (option.key == "warmup")
    return parseSteps(option).moveInto(warmup);
  if (option.key == "steps" || option.key == "every") {
    std::optional<int64_t> &field = option.key == "steps" ? steps : every;
    return parseSteps(option).moveInto(field.emplace());
  }
  std::optional<double> &field =
      option.key == "lr" ? rate : (option.key == "least" ? least : factor);
  return parseNumber(option).moveInto(field.emplace());
}

llvm::Error RateSchedule::check(StringRef owner) const {
  if (!rate)
    return makeError(owner, " needs a learning rate: add lr=NUMBER");
  bool isStep = kind == Kind::Step, ends = kind == Kind::Cosine || kind == Kind::Linear;
  if (isStep && (!every || !factor))
    return makeError("schedule 'step' needs 'every' and 'factor'");
  if (ends && !steps)
    return makeError("a schedule with an end needs it: add steps=NUMBER");
  if (ends && *steps <= warmup)
    return makeError("expected 'steps' above the ", warmup, " of 'warmup', got ", *steps);
  if (!isStep && (every || factor))
    return makeError("'every' and 'factor' are options of schedule 'step'");
  if (!ends && (steps || least))
    return makeError("'steps' and 'least' are options of the schedules 'cosine' and 'linear'");
  return llvm::Error::success();
}

namespace {

/// Builds scalars of one type.
struct Scalars : DecompositionBuilder {
  Scalars(Location loc, const OpBuilder &builder, Type element)
      : DecompositionBuilder(loc, builder), element(element) {}

  Value number(double value) { return make<ConstantOp>(RankedTensorType::get({}, element), value); }
  Type element;
};

} // namespace

/// Returns `rate` times `factor` after every `every` steps.
static Value buildFalls(Scalars &scalars, Value now, double rate, double factor, int64_t every) {
  Value falls = scalars.make<FloorOp>(scalars.make<DivOp>(now, scalars.number(double(every))));
  Value power = scalars.make<PowOp>(scalars.number(factor), falls);
  return scalars.make<MulOp>(scalars.number(rate), power);
}

/// Returns the rest of a decay: 1 at step `first`, 0 from step `end` on.
static Value buildRest(Scalars &scalars, Value now, int64_t first, int64_t end) {
  Value behind = scalars.make<SubOp>(now, scalars.number(double(first)));
  Value share = scalars.make<DivOp>(behind, scalars.number(double(end - first)));
  share = scalars.make<ClampOp>(share, APFloat(0.0), APFloat(1.0));
  return scalars.make<SubOp>(scalars.number(1), share);
}

/// (1 + cos(π (1 - rest))) / 2, which is (1 - cos(π rest)) / 2.
static Value bend(Scalars &scalars, Value rest) {
  Value angle = scalars.make<MulOp>(rest, scalars.number(std::numbers::pi));
  Value lifted = scalars.make<SubOp>(scalars.number(1), scalars.make<CosOp>(angle));
  return scalars.make<MulOp>(lifted, scalars.number(0.5));
}

Value RateSchedule::buildDecayed(OpBuilder &builder, Location loc, Value now, Type element) const {
  Scalars scalars(loc, builder, element);
  if (kind == Kind::Constant)
    return scalars.number(*rate);
  if (kind == Kind::Step)
    return buildFalls(scalars, now, *rate, *factor, *every);
  Value rest = buildRest(scalars, now, warmup, *steps);
  if (kind == Kind::Cosine)
    rest = bend(scalars, rest);
  double end = least.value_or(0);
  Value above = scalars.make<MulOp>(scalars.number(*rate - end), rest);
  return scalars.make<AddOp>(scalars.number(end), above);
}

Value RateSchedule::build(OpBuilder &builder, Location loc, Value step, Type element) const {
  Scalars scalars(loc, builder, element);
  if (!takesStep())
    return scalars.number(*rate);
  Value now = scalars.castTo(step, element);
  Value decayed = buildDecayed(builder, loc, now, element);
  if (warmup == 0)
    return decayed;
  Value risen = scalars.make<AddOp>(now, scalars.number(1));
  Value share = scalars.make<DivOp>(risen, scalars.number(double(warmup)));
  return scalars.make<MulOp>(decayed, scalars.make<MinOp>(share, scalars.number(1)));
}

} // namespace pcc::autodiff
