// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the update formulas of SGD, momentum, Adagrad, Adam, AdamW and LAMB. Arithmetic is in f32;
// new values are cast to the types of the old ones. Adam, AdamW and LAMB share moments and bias
// correction. Adam adds weight decay to the gradient, the other two to the update. LAMB also scales
// the rate by its trust ratio.
#include "dialects/graph/decompose/OptimizerDecomposition.h"

#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace pcc::graph;

namespace {

/// Builds the values of one step; all arithmetic is in f32, or in f64 for parameters of f64.
class StepBuilder {
public:
  StepBuilder(Value parameter, DecompositionBuilder &builder)
      : builder(builder), type(accumulatorOf(getElementTypeOrSelf(parameter))) {}

  Value wide(Value value) { return builder.castTo(value, type); }

  /// Returns the gradient of a step, times its scale if it has one.
  template <typename Values> Value gradientOf(Values step) {
    Value gradient = wide(step.getGradient());
    return step.getScale() ? mul(gradient, builder.repeat(step.getScale(), gradient)) : gradient;
  }

  /// Returns the new values in the types of `old`, of which there may be more. If a scale of 0
  /// skips `step`, selects the old values for it.
  template <typename Values>
  Decomposition finish(Values step, ValueRange old, ArrayRef<Value> results) {
    Decomposition finished;
    for (auto [before, after] : llvm::zip(old, results)) {
      Value result = builder.castTo(after, getElementTypeOrSelf(before));
      if (step.getZeroSkips()) {
        Value scale = builder.repeat(step.getScale(), after);
        Value isTaken = builder.make<CompareOp>(Direction::NE, scale, builder.splat(after, 0));
        result = builder.make<SelectOp>(isTaken, result, before);
      }
      finished.push_back(result);
    }
    return finished;
  }

  Value add(Value x, Value y) { return builder.make<AddOp>(x, y); }
  Value mul(Value x, Value y) { return builder.make<MulOp>(x, y); }
  Value div(Value x, Value y) { return builder.make<DivOp>(x, y); }
  Value sqrt(Value x) { return builder.make<SqrtOp>(x); }
  Value scaled(Value x, double factor) { return mul(x, builder.splat(x, factor)); }

  /// Computes gradient + decay * parameter.
  Value decayed(Value gradient, Value parameter, const APFloat &decay) {
    return decay.isZero() ? gradient : add(gradient, scaled(parameter, decay.convertToDouble()));
  }

  /// Computes parameter - rate * direction.
  Value step(Value parameter, Value direction, Value rate) {
    return builder.make<SubOp>(parameter, mul(direction, builder.repeat(rate, parameter)));
  }

  /// Computes gradient / (sqrt(squares) + epsilon).
  Value divideByRoot(Value gradient, Value squares, const APFloat &epsilon) {
    Value root = sqrt(squares);
    return div(gradient, add(root, builder.splat(squares, epsilon.convertToDouble())));
  }

  /// Computes beta * moment + (1 - beta) * value.
  Value average(Value moment, Value value, double beta) {
    Value kept = scaled(moment, beta);
    return add(kept, scaled(value, 1 - beta));
  }

  /// Computes 1 / (1 - beta^(step + 1)), a scalar. The divisor is 2a / (1 + a) with a = tanh(x /
  /// 2), where beta^(step + 1) = exp(-x): the plain difference from 1 would lose most digits of a
  /// beta close to 1.
  Value biasFactor(Value step, double beta) {
    Value t = wide(step);
    if (beta == 0)
      return builder.splat(t, 1);
    Value one = builder.splat(t, 1);
    Value a = builder.make<TanhOp>(scaled(add(t, one), -0.5 * std::log(beta)));
    Value numerator = add(a, one);
    return div(numerator, scaled(a, 2));
  }

  /// Removes from `moment` the bias of its start from zero.
  Value unbiased(Value moment, Value step, double beta) {
    return mul(moment, builder.repeat(biasFactor(step, beta), moment));
  }

  /// Computes the square root of the sum of squares over the whole tensor, a scalar.
  Value norm(Value x, SumBlocks sumBlocks) {
    Value squares = builder.make<SquareOp>(x);
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    if (rank > 0)
      squares =
          builder.make<ReduceOp>(ReduceOpKind::Sum, squares,
                                 ArrayRef<int64_t>(llvm::to_vector(llvm::seq<int64_t>(0, rank))));
    return sqrt(sumBlocks(squares));
  }

  /// Computes x / y, or 1 if one of these scalars is 0.
  Value ratio(Value x, Value y) {
    Value zero = builder.splat(x, 0), one = builder.splat(x, 1);
    Value quotient = div(x, y);
    for (Value divided : {x, y})
      quotient = builder.make<SelectOp>(builder.make<CompareOp>(Direction::GT, divided, zero),
                                        quotient, one);
    return quotient;
  }

private:
  DecompositionBuilder &builder;
  Type type; ///< of the arithmetic
};

/// Values that Adam and its variants share.
struct AdamUpdate {
  Value moment1, moment2, direction;
};

/// Builds these values. `op` gives the hyperparameters, `operands` the tensors; `gradient` has the
/// type of the arithmetic.
template <typename Op>
AdamUpdate buildAdam(Op op, ValueRange operands, Value gradient, DecompositionBuilder &builder) {
  StepBuilder in(op.getParameter(), builder);
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  typename Op::Adaptor values(operands, op);
  AdamUpdate parts;
  parts.moment1 = in.average(in.wide(values.getMoment1()), gradient, beta1);
  Value moment2 = in.wide(values.getMoment2());
  parts.moment2 = in.average(moment2, builder.make<SquareOp>(gradient), beta2);
  Value mean = in.unbiased(parts.moment1, values.getStep(), beta1);
  Value squares = in.unbiased(parts.moment2, values.getStep(), beta2);
  parts.direction = in.divideByRoot(mean, squares, op.getEpsilon());
  return parts;
}

/// Returns the results of `op`: the new parameter and the moments.
template <typename Op>
Decomposition finishAdam(Op op, ValueRange operands, Value parameter, const AdamUpdate &parts,
                         DecompositionBuilder &builder) {
  typename Op::Adaptor values(operands, op);
  return StepBuilder(op.getParameter(), builder)
      .finish(values, {values.getParameter(), values.getMoment1(), values.getMoment2()},
              {parameter, parts.moment1, parts.moment2});
}

} // namespace

Decomposition pcc::graph::decompose(SgdOp op, DecompositionBuilder &builder) {
  StepBuilder in(op.getParameter(), builder);
  Value parameter = in.wide(op.getParameter());
  Value gradient = in.decayed(in.gradientOf(op), parameter, op.getWeightDecay());
  return in.finish(op, op.getParameter(), in.step(parameter, gradient, op.getRate()));
}

Decomposition pcc::graph::decompose(MomentumOp op, DecompositionBuilder &builder) {
  StepBuilder in(op.getParameter(), builder);
  Value parameter = in.wide(op.getParameter());
  Value gradient = in.decayed(in.gradientOf(op), parameter, op.getWeightDecay());
  double momentum = op.getMomentum().convertToDouble();
  Value velocity = in.add(in.scaled(in.wide(op.getVelocity()), momentum), gradient);
  Value direction = op.getNesterov() ? in.add(gradient, in.scaled(velocity, momentum)) : velocity;
  return in.finish(op, {op.getParameter(), op.getVelocity()},
                   {in.step(parameter, direction, op.getRate()), velocity});
}

Decomposition pcc::graph::decompose(AdagradOp op, DecompositionBuilder &builder) {
  StepBuilder in(op.getParameter(), builder);
  Value parameter = in.wide(op.getParameter());
  Value gradient = in.decayed(in.gradientOf(op), parameter, op.getWeightDecay());
  Value old = in.wide(op.getAccumulator());
  Value accumulator = in.add(old, builder.make<SquareOp>(gradient));
  Value direction = in.divideByRoot(gradient, accumulator, op.getEpsilon());
  return in.finish(op, {op.getParameter(), op.getAccumulator()},
                   {in.step(parameter, direction, op.getRate()), accumulator});
}

Decomposition pcc::graph::decompose(AdamOp op, DecompositionBuilder &builder) {
  StepBuilder in(op.getParameter(), builder);
  Value parameter = in.wide(op.getParameter());
  Value gradient = in.decayed(in.gradientOf(op), parameter, op.getWeightDecay());
  AdamUpdate parts = buildAdam(op, op->getOperands(), gradient, builder);
  Value updated = in.step(parameter, parts.direction, op.getRate());
  return finishAdam(op, op->getOperands(), updated, parts, builder);
}

Decomposition pcc::graph::decompose(AdamWeightDecayOp op, DecompositionBuilder &builder) {
  StepBuilder in(op.getParameter(), builder);
  Value parameter = in.wide(op.getParameter());
  AdamUpdate parts = buildAdam(op, op->getOperands(), in.gradientOf(op), builder);
  Value update = in.decayed(parts.direction, parameter, op.getWeightDecay());
  Value updated = in.step(parameter, update, op.getRate());
  return finishAdam(op, op->getOperands(), updated, parts, builder);
}

Decomposition pcc::graph::buildLamb(LambOp op, ValueRange operands, DecompositionBuilder &builder,
                                    SumBlocks sumBlocks) {
  StepBuilder in(op.getParameter(), builder);
  LambOp::Adaptor values(operands, op);
  Value parameter = in.wide(values.getParameter());
  AdamUpdate parts = buildAdam(op, operands, in.gradientOf(values), builder);
  Value update = in.decayed(parts.direction, parameter, op.getWeightDecay());
  Value parameterNorm = in.norm(parameter, sumBlocks);
  Value ratio = in.ratio(parameterNorm, in.norm(update, sumBlocks));
  Value rate = in.mul(in.wide(values.getRate()), ratio);
  return finishAdam(op, operands, in.step(parameter, update, rate), parts, builder);
}

Decomposition pcc::graph::decompose(LambOp op, DecompositionBuilder &builder) {
  return buildLamb(op, op->getOperands(), builder, [](Value sum) { return sum; });
}
