// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes ops that read the elements along one axis in order, into comparisons and reductions.
#include "dialects/graph/decompose/Decompose.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::graph;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

static Value compare(Direction direction, Value x, Value y, DecompositionBuilder &builder) {
  return builder.make<CompareOp>(direction, x, y);
}

/// Builds the number of the first or the last element that equals the extremum. If an element is
/// NaN, the extremum is NaN, and NaN elements count instead.
template <typename Op>
static Value buildArgument(Op op, ReduceOpKind extremum, DecompositionBuilder &builder) {
  Value x = op.getInput();
  int64_t axis = op.getAxis();
  Value best = builder.make<ReduceOp>(extremum, x, axis);
  Value isBest = compare(Direction::EQ, x, builder.repeatAlong(best, x, axis), builder);
  if (isFloat(x))
    isBest = builder.make<OrOp>(isBest, compare(Direction::NE, x, x, builder));
  auto numbers = cast<RankedTensorType>(i64TensorLike(x.getType()));
  Value number = builder.make<IotaOp>(numbers, axis);
  Value none = builder.splat(number, op.getLast() ? -1 : double(numbers.getDimSize(axis)));
  Value candidates = builder.make<SelectOp>(isBest, number, none);
  ReduceOpKind chosen = op.getLast() ? ReduceOpKind::Max : ReduceOpKind::Min;
  return builder.make<ReduceOp>(chosen, candidates, axis);
}

Decomposition pcc::graph::decompose(ArgmaxOp op, DecompositionBuilder &builder) {
  return {buildArgument(op, ReduceOpKind::Max, builder)};
}

Decomposition pcc::graph::decompose(ArgminOp op, DecompositionBuilder &builder) {
  return {buildArgument(op, ReduceOpKind::Min, builder)};
}

/// Returns whether x is beyond y, with NaN beyond all numbers: y is a number, and x is neither
/// equal to y nor on its other side.
static Value isBeyond(Value x, Value y, bool smallest, DecompositionBuilder &builder) {
  if (!isFloat(x))
    return compare(smallest ? Direction::LT : Direction::GT, x, y, builder);
  Value isNot = compare(smallest ? Direction::GE : Direction::LE, x, y, builder);
  Value isNumber = compare(Direction::EQ, y, y, builder);
  return builder.make<AndOp>(builder.make<NotOp>(isNot), isNumber);
}

namespace {
/// Tensors with an element for each pair of elements along one dimension. The first element of a
/// pair is numbered by the op's axis, the other one by the dimension after the axis.
class Pairs {
public:
  Pairs(DecompositionBuilder &builder, int64_t axis) : builder(builder), axis(axis) {}

  /// Repeats `value`, which has the dimension after the axis, `size` times along the axis.
  Value repeatBehind(Value value, int64_t size) { return repeat(value, axis, size); }
  /// Repeats `value`, which has the dimension at the axis, `size` times along the dimension after
  /// it.
  Value repeatAtAxis(Value value, int64_t size) { return repeat(value, axis + 1, size); }

  /// Returns the numbers of the pairs' elements, in the shape of `like`.
  Value numberAtAxis(Value like) { return number(like, axis); }
  Value numberBehind(Value like) { return number(like, axis + 1); }

  /// Sums `value` where `predicate` holds, over the dimension after the axis.
  Value sumWhere(Value predicate, Value value) {
    Value taken = builder.make<SelectOp>(predicate, value, builder.splat(value, 0));
    return builder.make<ReduceOp>(ReduceOpKind::Sum, taken, axis + 1);
  }

private:
  Value repeat(Value value, int64_t dim, int64_t size) {
    SmallVector<int64_t> shape(typeOf(value).getShape()), dims;
    for (int64_t own = 0, rank = shape.size(); own < rank; ++own)
      dims.push_back(own < dim ? own : own + 1);
    shape.insert(shape.begin() + dim, size);
    return builder.make<BroadcastOp>(typeOf(value).clone(shape), value, dims);
  }
  Value number(Value like, int64_t dim) {
    return builder.make<IotaOp>(cast<RankedTensorType>(i64TensorLike(like.getType())), dim);
  }

  DecompositionBuilder &builder;
  int64_t axis;
};
} // namespace

/// Returns the place of each element along `axis`: the number of elements before it. These are the
/// elements beyond it, and equal elements with a smaller index.
static Value buildPlaces(Value x, int64_t axis, bool smallest, DecompositionBuilder &builder) {
  Pairs pairs(builder, axis);
  int64_t size = typeOf(x).getDimSize(axis);
  Value element = pairs.repeatAtAxis(x, size), other = pairs.repeatBehind(x, size);
  Value isEarlier =
      compare(Direction::LT, pairs.numberBehind(element), pairs.numberAtAxis(element), builder);
  Value isNotBehind = builder.make<NotOp>(isBeyond(element, other, smallest, builder));
  Value isBefore =
      builder.make<SelectOp>(isEarlier, isNotBehind, isBeyond(other, element, smallest, builder));
  Value count = builder.castTo(isBefore, builder.getI64Type());
  return builder.make<ReduceOp>(ReduceOpKind::Sum, count, axis + 1);
}

/// Builds few ops for any number of places: each place takes the element that belongs there. All
/// pairs are compared, but within the loops of a reduction and not in memory.
Decomposition pcc::graph::decompose(TopKOp op, DecompositionBuilder &builder) {
  Value x = op.getInput();
  int64_t axis = op.getAxis(), count = op.getValues().getType().getDimSize(axis);
  Pairs pairs(builder, axis);
  Value place = pairs.repeatBehind(buildPlaces(x, axis, op.getSmallest(), builder), count);
  Value isTaken = compare(Direction::EQ, place, pairs.numberAtAxis(place), builder);
  return {pairs.sumWhere(isTaken, pairs.repeatBehind(x, count)),
          pairs.sumWhere(isTaken, pairs.numberBehind(place))};
}

/// Shifts `x` by `steps` along `axis`, toward its end or, with `reverse`, its beginning. Zeros
/// follow.
static Value shift(Value x, int64_t axis, int64_t steps, bool reverse,
                   DecompositionBuilder &builder) {
  int64_t low = reverse ? -steps : steps;
  return builder.make<PadOp>(x, axis, low, -low, APFloat(0.0));
}

/// After each step an element is the sum of twice as many (Hillis, Steele: Data parallel
/// algorithms, CACM 1986).
Decomposition pcc::graph::decompose(CumsumOp op, DecompositionBuilder &builder) {
  Type element = op.getType().getElementType();
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Value sums = isNarrow ? builder.castTo(op.getInput(), builder.getF32Type()) : op.getInput();
  int64_t axis = op.getAxis(), size = op.getType().getDimSize(axis);
  if (op.getExclusive())
    sums = shift(sums, axis, 1, op.getReverse(), builder);
  for (int64_t steps = 1; steps < size; steps *= 2)
    sums = builder.make<AddOp>(sums, shift(sums, axis, steps, op.getReverse(), builder));
  return {builder.castTo(sums, element)};
}
