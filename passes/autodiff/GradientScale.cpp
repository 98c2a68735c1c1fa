// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds scalars of rank 0 from plain ops, so that partition, stages and fusion treat them as any
// other value.
#include "passes/autodiff/TrainingState.h"

#include "dialects/graph/decompose/DecompositionBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace mlir;

namespace pcc::autodiff {

static constexpr double growth = 2, backoff = 0.5;
static constexpr double greatest = std::numeric_limits<float>::max();

Value GradientScale::number(double value) {
  return graph::ConstantOp::create(builder, RankedTensorType::get({}, element), value);
}

Value GradientScale::integer(int64_t value) {
  return graph::ConstantOp::create(builder, RankedTensorType::get({}, builder.getI64Type()),
                                   double(value));
}

Value GradientScale::castTo(Value value, Type type) {
  return graph::DecompositionBuilder(builder.getLoc(), builder).castTo(value, type);
}

void GradientScale::addGradient(Value gradient, int64_t virtualStage) {
  if (!options.needsNorm())
    return;
  int64_t rank = cast<RankedTensorType>(gradient.getType()).getRank();
  Value sum = graph::SquareOp::create(builder, castTo(gradient, element));
  if (rank > 0)
    sum = graph::ReduceOp::create(builder, graph::ReduceOpKind::Sum, sum,
                                  llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  Value &total = squares[virtualStage];
  total = total ? graph::AddOp::create(builder, total, sum) : sum;
}

Value GradientScale::sumStages() {
  Value total;
  int64_t at = 0;
  for (auto [stage, sum] : squares) {
    if (total) {
      total = pipe::TransferOp::create(builder, total, at, stage);
      total = graph::AddOp::create(builder, total, sum);
    } else {
      total = sum;
    }
    at = stage;
  }
  return at == lossStage ? total : pipe::TransferOp::create(builder, total, at, lossStage);
}

void GradientScale::buildNextScale(const TrainingStateValues &states, Value isFinite) {
  Value one = integer(1), zero = integer(0);
  Value goodSteps = graph::AddOp::create(builder, states.at(TrainingState::GoodSteps), one);
  Value grows =
      graph::CompareOp::create(builder, graph::Direction::GE, goodSteps, integer(growthSteps));
  // A scale that cannot be doubled stays as it is.
  Value scale = castTo(states.at(TrainingState::Scale), element);
  Value doubled = graph::MulOp::create(builder, scale, number(growth));
  Value fits = graph::CompareOp::create(builder, graph::Direction::LE, doubled, number(greatest));
  Value grown =
      graph::SelectOp::create(builder, graph::AndOp::create(builder, grows, fits), doubled, scale);
  // A scale that would become too small stays, too.
  Value halved = graph::MulOp::create(builder, scale, number(backoff));
  Value isAllowed =
      graph::CompareOp::create(builder, graph::Direction::GE, halved, number(minLossScale));
  Value lowered = graph::SelectOp::create(builder, isAllowed, halved, scale);
  Value chosen = graph::SelectOp::create(builder, isFinite, grown, lowered);
  next[TrainingState::Scale] = castTo(chosen, builder.getF32Type());
  goodSteps = graph::SelectOp::create(builder, grows, zero, goodSteps);
  next[TrainingState::GoodSteps] = graph::SelectOp::create(builder, isFinite, goodSteps, zero);
}

/// Builds a factor that skips the step if the gradients are not finite, and counts such steps.
void GradientScale::buildSkips(const TrainingStateValues &states, Value isFinite) {
  factor = graph::SelectOp::create(builder, isFinite, factor, number(0));
  Value skipped = states.at(TrainingState::SkippedSteps);
  if (step)
    step = graph::SubOp::create(builder, step, skipped);
  Value more = graph::AddOp::create(builder, skipped, integer(1));
  next[TrainingState::SkippedSteps] = graph::SelectOp::create(builder, isFinite, skipped, more);
}

Value GradientScale::invertDivisor(const TrainingStateValues &states) {
  Value inverse = number(1 / options.lossScale);
  if (options.isDynamic)
    inverse =
        graph::DivOp::create(builder, number(1), castTo(states.at(TrainingState::Scale), element));
  return share ? graph::DivOp::create(builder, inverse, castTo(share, element)) : inverse;
}

void GradientScale::build(const TrainingStateValues &states, Value runStep) {
  step = runStep;
  if (share)
    next[TrainingState::CountedShare] = castTo(share, builder.getF32Type());
  if (!options.scales() && !share)
    return;
  Value inverse = invertDivisor(states);
  factor = inverse;
  if (squares.empty())
    return;
  Value total = sumStages();
  Value root = graph::SqrtOp::create(builder, total);
  // A share by weights may be negative, but no norm is.
  Value size = share ? graph::AbsOp::create(builder, inverse).getResult() : inverse;
  Value norm = graph::MulOp::create(builder, root, size);
  next[TrainingState::Norm] = castTo(norm, builder.getF32Type());
  if (options.clipNorm) {
    Value limit = graph::AddOp::create(builder, norm, number(1e-6));
    Value clip = graph::DivOp::create(builder, number(*options.clipNorm), limit);
    Value least = graph::MinOp::create(builder, clip, number(1));
    factor = graph::MulOp::create(builder, least, inverse);
  }
  if (!options.skips())
    return;
  // A sum of squares is finite if it is no more than the greatest number; NaN is not. If nothing
  // counts, only the norm is not finite.
  Value judged = share ? norm : total;
  Value isFinite =
      graph::CompareOp::create(builder, graph::Direction::LE, judged, number(greatest));
  buildSkips(states, isFinite);
  if (options.isDynamic)
    buildNextScale(states, isFinite);
}

Value GradientScale::send(Value value, int64_t virtualStage) {
  if (virtualStage == lossStage)
    return value;
  return pipe::TransferOp::create(builder, value, lossStage, virtualStage);
}

Value GradientScale::getFactor(int64_t virtualStage) {
  if (!factor || (squares.empty() && !share))
    return factor; // each virtual stage computes a constant itself
  auto [known, isNew] = factors.try_emplace(virtualStage);
  if (isNew)
    known->second = send(factor, virtualStage);
  return known->second;
}

Value GradientScale::getStep(int64_t virtualStage) {
  if (!step || !options.skips())
    return step;
  auto [known, isNew] = steps.try_emplace(virtualStage);
  if (isNew)
    known->second = send(step, virtualStage);
  return known->second;
}

} // namespace pcc::autodiff
