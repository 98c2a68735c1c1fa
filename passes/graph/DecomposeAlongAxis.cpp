// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that look at the elements along one axis in their order, as comparisons and reductions.
#include "passes/graph/Decompose.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::graph;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

static Value compare(Direction direction, Value x, Value y, PieceBuilder &builder) {
  return builder.make<CompareOp>(direction, x, y);
}

/// The first or the last of the elements that equal the extremum; of those that are NaN, if any is,
/// for then the extremum is NaN.
template <typename Op>
static Value buildArgument(Op op, ReduceOpKind extremum, PieceBuilder &builder) {
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

Pieces pcc::graph::decompose(ArgmaxOp op, PieceBuilder &builder) {
  return {buildArgument(op, ReduceOpKind::Max, builder)};
}

Pieces pcc::graph::decompose(ArgminOp op, PieceBuilder &builder) {
  return {buildArgument(op, ReduceOpKind::Min, builder)};
}

/// Whether x is beyond y, NaN beyond all numbers: where y is a number and x is not on its other
/// side, nor equal.
static Value isBeyond(Value x, Value y, bool smallest, PieceBuilder &builder) {
  if (!isFloat(x))
    return compare(smallest ? Direction::LT : Direction::GT, x, y, builder);
  Value isNot = compare(smallest ? Direction::GE : Direction::LE, x, y, builder);
  Value isNumber = compare(Direction::EQ, y, y, builder);
  return builder.make<AndOp>(builder.make<NotOp>(isNot), isNumber);
}

namespace {
/// Tensors that hold something for each pair of one dimension, which stands at the op's axis, and
/// another one behind it.
class Pairs {
public:
  Pairs(PieceBuilder &builder, int64_t axis) : builder(builder), axis(axis) {}

  /// `value`, which has the dimension behind, for each of `size` along the axis.
  Value repeatBehind(Value value, int64_t size) { return repeat(value, axis, size); }
  /// `value`, which has the dimension at the axis, for each of `size` behind it.
  Value repeatAtAxis(Value value, int64_t size) { return repeat(value, axis + 1, size); }

  /// The numbers of the pairs' parts, in the shape of `like`.
  Value numberAtAxis(Value like) { return number(like, axis); }
  Value numberBehind(Value like) { return number(like, axis + 1); }

  /// The sum over the dimension behind of `value` where `predicate` holds.
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

  PieceBuilder &builder;
  int64_t axis;
};
} // namespace

/// The place of each element along `axis`: how many others come before it, which are those beyond
/// it, and of those that are equal the earlier ones.
static Value buildPlaces(Value x, int64_t axis, bool smallest, PieceBuilder &builder) {
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

/// Few ops, whatever the number of places: each place takes the element that belongs there. All
/// pairs are compared, within the loops of a reduction and not in memory.
Pieces pcc::graph::decompose(TopKOp op, PieceBuilder &builder) {
  Value x = op.getInput();
  int64_t axis = op.getAxis(), count = op.getValues().getType().getDimSize(axis);
  Pairs pairs(builder, axis);
  Value place = pairs.repeatBehind(buildPlaces(x, axis, op.getSmallest(), builder), count);
  Value isTaken = compare(Direction::EQ, place, pairs.numberAtAxis(place), builder);
  return {pairs.sumWhere(isTaken, pairs.repeatBehind(x, count)),
          pairs.sumWhere(isTaken, pairs.numberBehind(place))};
}

/// `x` moved by `steps` along `axis`, towards its end or, `reverse`, its beginning; zeros follow.
static Value shift(Value x, int64_t axis, int64_t steps, bool reverse, PieceBuilder &builder) {
  int64_t low = reverse ? -steps : steps;
  return builder.make<PadOp>(x, axis, low, -low, APFloat(0.0));
}

/// After each step an element is the sum of twice as many (Hillis, Steele: Data parallel
/// algorithms, CACM 1986).
Pieces pcc::graph::decompose(CumsumOp op, PieceBuilder &builder) {
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
