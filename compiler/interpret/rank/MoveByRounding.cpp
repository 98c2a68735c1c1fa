// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies ops by where they round, then moves elements by random numbers that depend on a seed,
// the count of moved tensors and the element's index. So two runs of one program with opposite
// signs make mirrored moves.
#include "compiler/interpret/rank/MoveByRounding.h"

#include "compiler/values/Map.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/abi/Random.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace pcc::interpret {
namespace {

constexpr uint64_t seed = 13;

bool isExact(Operation *op) {
  // A call is exact, because the ops of the function have moved its results already.
  if (isa<func::CallOp, dist::ReshardOp, dist::ToLocalOp, dist::ToGlobalOp, dist::MirrorOp,
          pipe::TransferOp>(op))
    return true;
  if (isa<graph::ConstantOp, graph::IotaOp, graph::RngUniformOp, graph::ReshapeOp,
          graph::TransposeOp, graph::BroadcastOp, graph::SliceOp, graph::DynamicSliceOp,
          graph::DynamicUpdateSliceOp, graph::PadOp, graph::ConcatOp, graph::SplitOp,
          graph::GatherOp, graph::OneHotOp>(op))
    return true;
  return isa<graph::NegOp, graph::AbsOp, graph::SignOp, graph::MaxOp, graph::MinOp, graph::ModOp,
             graph::FloorOp, graph::CeilOp, graph::RoundOp, graph::ReluOp, graph::ClampOp,
             graph::SelectOp, graph::MaxPoolOp, graph::TopKOp>(op);
}

/// Returns whether code may contract the multiplication `value` with its user, without rounding it.
bool isContracted(Operation *user, Value value) {
  return isa<graph::AddOp, graph::SubOp>(user) &&
         isa_and_nonnull<graph::MulOp, graph::SquareOp>(value.getDefiningOp());
}

} // namespace

Rounding roundingOf(Operation *op) {
  if (isExact(op))
    return Rounding::None;
  return llvm::TypeSwitch<Operation *, Rounding>(op)
      .Case([](graph::ReduceOp reduce) {
        switch (reduce.getKind()) {
        case graph::ReduceOpKind::Sum:
        case graph::ReduceOpKind::Mean:
          return Rounding::Terms;
        case graph::ReduceOpKind::Prod:
          return Rounding::Result;
        case graph::ReduceOpKind::Max:
        case graph::ReduceOpKind::Min:
          return Rounding::None;
        }
        llvm_unreachable("every kind is listed");
      })
      .Case<graph::MatmulOp, graph::EinsumOp, graph::Conv2dOp, graph::Conv2dInputGradientOp,
            graph::Conv2dWeightGradientOp, graph::AvgPoolOp, graph::MaxPoolGradientOp,
            graph::CumsumOp, graph::ScatterAddOp>([](Operation *) { return Rounding::Terms; })
      .Default([](Operation *) { return Rounding::Result; });
}

/// Moves numbers at random by up to half of `unit` times the interpreter's factor. `unit` is the
/// relative distance of neighboring numbers. Numbers that the type holds exactly stay, unless
/// `movesExact`. Of f64, which holds every double, these are the numbers of f32: whole numbers stay
/// whole.
Tensor ValueMover::move(const Tensor &value, double unit, bool movesExact) {
  uint64_t stream = count++;
  bool isDouble = value.getType() == ElementType::F64;
  ElementType exact = isDouble ? ElementType::F32 : value.getType();
  return generate(value.getType(), value.getShape(), [&](int64_t n) {
    double x = value[n].f;
    if (x == 0.0 || !std::isfinite(x) || (!movesExact && roundTo(exact, x) == x))
      return value[n];
    double move = abi::randomUniform(seed, stream, n) - 0.5;
    return Element{.f = x + sign * interpretedFactor * unit * move * x};
  });
}

void ValueMover::moveTerms(Operation *op, MutableArrayRef<Tensor> operands) {
  bool isSum = roundingOf(op) == Rounding::Terms;
  for (auto [value, operand] : llvm::zip_equal(op->getOperands(), operands)) {
    if (!operand.isFloat() || !(isSum || isContracted(op, value)))
      continue;
    double unit = epsilon(operand.getType());
    // Sums are added in f32 or wider, whatever the type of the terms.
    operand = move(operand, isSum ? std::min(unit, epsilon(ElementType::F32)) : unit,
                   /*movesExact=*/true);
  }
}

void ValueMover::moveResults(Operation *op, MutableArrayRef<Tensor> results) {
  if (roundingOf(op) == Rounding::None)
    return;
  for (Tensor &result : results)
    if (result.isFloat())
      result = move(result, epsilon(result.getType()), /*movesExact=*/false);
}

} // namespace pcc::interpret
