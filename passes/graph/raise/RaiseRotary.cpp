// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes rotary embedding of heads [batch, heads, positions, width] or [batch, positions,
// heads, width] in its usual forms:
//
//   x · cosines + concat(-x₂, x₁) · sines        x₁, x₂: the halves of x along the width
//   x · cosines + pairs(-x₂, x₁) · sines         x₁, x₂: the even and the odd elements
//   concat(x₁ · cosines - x₂ · sines, x₂ · cosines + x₁ · sines), with pairs likewise
//
// where cosines and sines are tables of the positions, repeated for all heads. In the first two
// forms both elements of a pair have equal numbers in a table. Assumes canonical form; leaves the
// matched ops to be erased if nothing else reads them.
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/graph/Match.h"
#include "passes/graph/Passes.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHRAISEROTARY
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// Returns whether `value` is half of `x` along the last dimension, from `start` on.
static bool isHalf(Value value, Value x, int64_t start) {
  int64_t last = typeOf(x).getRank() - 1, half = typeOf(x).getDimSize(last) / 2;
  if (typeOf(value).getRank() != last + 1 || typeOf(value).getDimSize(last) != half)
    return false;
  if (auto slice = value.getDefiningOp<SliceOp>())
    return slice.getInput() == x && int64_t(slice.getAxis()) == last && slice.getStride() == 1 &&
           int64_t(slice.getStart()) == start;
  auto split = value.getDefiningOp<SplitOp>();
  return split && split.getInput() == x && int64_t(split.getAxis()) == last &&
         split.getNumResults() == 2 && value == split.getResult(start == 0 ? 0 : 1);
}

/// Returns whether `value` holds element `index` of each pair of neighbors of `x`, along the last
/// dimension; it may have one more dimension, of size 1.
static bool isOfPairs(Value value, Value x, int64_t index) {
  int64_t last = typeOf(x).getRank() - 1;
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  if (auto negated = value.getDefiningOp<NegOp>())
    return false;
  auto slice = value.getDefiningOp<SliceOp>();
  if (!slice || int64_t(slice.getStart()) != index)
    return false;
  if (slice.getInput() == x)
    return int64_t(slice.getAxis()) == last && slice.getStride() == 2;
  // A slice of x as pairs.
  auto pairs = slice.getInput().getDefiningOp<ReshapeOp>();
  return pairs && pairs.getInput() == x && int64_t(slice.getAxis()) == last + 1 &&
         pairs.getType().getRank() == last + 2 && pairs.getType().getDimSize(last + 1) == 2;
}

/// Returns -x without the minus, through reshapes; null if there is no minus.
static Value findNegated(Value value) {
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  auto negated = value.getDefiningOp<NegOp>();
  return negated ? negated->getOperand(0) : Value();
}

namespace {
enum class Pairing { Halves, Neighbors };
} // namespace

/// Returns how `value` turns the pairs (x₁, x₂) of `x` into (-x₂, x₁); nothing if it does not.
static std::optional<Pairing> findTurn(Value value, Value x) {
  int64_t last = typeOf(x).getRank() - 1, width = typeOf(x).getDimSize(last);
  auto joined = value.getDefiningOp<ReshapeOp>();
  auto concat = (joined ? joined.getInput() : value).getDefiningOp<ConcatOp>();
  if (!concat || concat.getInputs().size() != 2 || width % 2)
    return std::nullopt;
  Value negated = findNegated(concat.getInputs()[0]), other = concat.getInputs()[1];
  if (!negated)
    return std::nullopt;
  int64_t axis = concat.getAxis();
  if (!joined && axis == last && isHalf(negated, x, width / 2) && isHalf(other, x, 0))
    return Pairing::Halves;
  bool isStack = joined && axis == last + 1 && concat.getType().getRank() == last + 2 &&
                 concat.getType().getDimSize(axis) == 2;
  if (isStack && isOfPairs(negated, x, 1) && isOfPairs(other, x, 0))
    return Pairing::Neighbors;
  return std::nullopt;
}

/// Returns whether the numbers of a row's pairs are equal.
static bool hasEqualPairs(ArrayRef<double> row, Pairing pairing) {
  size_t half = row.size() / 2;
  for (size_t i = 0; i < half; ++i)
    if (pairing == Pairing::Halves ? row[i] != row[half + i] : row[2 * i] != row[2 * i + 1])
      return false;
  return true;
}

/// Returns whether a reshape to `table` or a concat makes equal pairs.
static bool joinsEqualPairs(Value table, Pairing pairing) {
  int64_t last = typeOf(table).getRank() - 1, width = typeOf(table).getDimSize(last);
  if (pairing == Pairing::Halves) {
    auto concat = table.getDefiningOp<ConcatOp>();
    return concat && int64_t(concat.getAxis()) == last && concat.getInputs().size() == 2 &&
           concat.getInputs()[0] == concat.getInputs()[1];
  }
  auto reshape = table.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return false;
  ArrayRef<int64_t> shape = reshape.getInput().getType().getShape();
  int64_t rank = shape.size();
  if (rank < 2 || shape[rank - 1] != 2 || shape[rank - 2] != width / 2)
    return false;
  if (auto concat = reshape.getInput().getDefiningOp<ConcatOp>())
    return int64_t(concat.getAxis()) == rank - 1 && concat.getInputs().size() == 2 &&
           concat.getInputs()[0] == concat.getInputs()[1];
  auto broadcast = reshape.getInput().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return false;
  const int64_t *dim = llvm::find(broadcast.getDims(), rank - 1);
  return dim == broadcast.getDims().end() ||
         broadcast.getInput().getType().getDimSize(dim - broadcast.getDims().begin()) == 1;
}

/// Returns whether both elements of each pair of `table` are equal along its last dimension. They
/// are equal by their numbers, or because the table is computed element by element from such
/// tables.
static bool hasEqualPairs(Value table, Pairing pairing) {
  if (findSplat(table))
    return true;
  Operation *op = table.getDefiningOp();
  int64_t width = typeOf(table).getShape().empty() ? 0 : typeOf(table).getShape().back();
  if (!op || width < 2 || width % 2)
    return false;
  if (joinsEqualPairs(table, pairing))
    return true;
  if (isa<CosOp, SinOp, MulOp, NegOp, CastOp>(op))
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return hasEqualPairs(operand, pairing); });
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    RankedTensorType from = typeOf(reshape.getInput());
    return from.getRank() > 0 && from.getShape().back() == width &&
           hasEqualPairs(reshape.getInput(), pairing);
  }
  std::optional<SmallVector<double>> numbers = readConstant(table);
  if (!numbers)
    return false;
  for (size_t row = 0; row < numbers->size(); row += width)
    if (!hasEqualPairs(ArrayRef(*numbers).slice(row, width), pairing))
      return false;
  return true;
}

namespace {

/// A table [positions, width] or [batch, positions, width], up to sizes of one.
struct Table {
  Value value;
  bool hasBatch = false;
  int64_t positions = 0; ///< the dimension of the heads along which the positions are

  bool operator==(const Table &other) const {
    return value.getType() == other.value.getType() && hasBatch == other.hasBatch &&
           positions == other.positions;
  }
};

} // namespace

/// Returns the table that `repeated` repeats to the type of the heads. The numbers of its pairs
/// must be equal. Returns nothing if there is no such table.
static std::optional<Table> findTable(Value repeated, std::optional<Pairing> pairing) {
  auto broadcast = repeated.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return std::nullopt;
  Table table{broadcast.getInput()};
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::zip_equal(broadcast.getDims(), typeOf(table.value).getShape()))
    if (size != 1)
      dims.push_back(dim);
  table.hasBatch = !dims.empty() && dims.front() == 0;
  if (table.hasBatch)
    dims.erase(dims.begin());
  if (dims.size() != 2 || (dims[0] != 1 && dims[0] != 2) || dims[1] != 3 ||
      (pairing && !hasEqualPairs(table.value, *pairing)))
    return std::nullopt;
  table.positions = dims[0];
  return table;
}

/// Returns the angles of the pairs, without sizes of one: one number of each pair of `table`, or
/// all without `pairing`.
static Value makeAngles(Value table, std::optional<Pairing> pairing, PatternRewriter &rewriter,
                        Location loc) {
  RankedTensorType type = typeOf(table);
  SmallVector<int64_t> half(type.getShape());
  Value angles = table;
  if (pairing) {
    half.back() /= 2;
    angles = SliceOp::create(rewriter, loc, type.clone(half), table, type.getRank() - 1, 0,
                             *pairing == Pairing::Halves ? 1 : 2);
  }
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      shape.push_back(half[dim]);
  return half == shape ? angles : ReshapeOp::create(rewriter, loc, type.clone(shape), angles);
}

namespace {

/// Factors of a rotation; the tables are repeated.
struct Rotation {
  Value heads, cosine, sine;
  Pairing pairing;
};

} // namespace

static std::optional<Rotation> matchRotation(AddOp op) {
  std::optional<Rotation> found;
  matchEither(op, [&](Value straight, Value turned) {
    auto first = straight.getDefiningOp<MulOp>(), second = turned.getDefiningOp<MulOp>();
    return first && second && matchEither(first, [&](Value x, Value cosine) {
             return matchEither(second, [&](Value rotated, Value sine) {
               if (std::optional<Pairing> pairing = findTurn(rotated, x))
                 found = Rotation{x, cosine, sine, *pairing};
               return found.has_value();
             });
           });
  });
  return found;
}

/// Repeats angles [positions, width] for each of `batch` samples, as those of one sequence of
/// batch · positions samples.
static Value spreadAngles(Value angles, bool hasBatch, int64_t batch, PatternRewriter &rewriter,
                          Location loc) {
  RankedTensorType type = typeOf(angles);
  int64_t width = type.getShape().back(), positions = type.getDimSize(hasBatch ? 1 : 0);
  if (!hasBatch)
    angles = BroadcastOp::create(rewriter, loc, type.clone({batch, positions, width}), angles,
                                 ArrayRef<int64_t>{1, 2});
  return ReshapeOp::create(rewriter, loc, type.clone({batch * positions, 1, width}), angles);
}

/// Replaces `op` by the rotation of heads by tables. `ofPairs`: how the tables repeat the angles of
/// pairs; nothing if they hold one angle for each pair.
static LogicalResult replace(Operation *op, const Rotation &rotation,
                             std::optional<Pairing> ofPairs, PatternRewriter &rewriter) {
  auto cosines = findTable(rotation.cosine, ofPairs);
  auto sines = findTable(rotation.sine, ofPairs);
  if (!cosines || !sines || !(*cosines == *sines))
    return failure();
  Location loc = fuseLocations(op->getResult(0), {rotation.heads, rotation.cosine, rotation.sine});
  Value cosine = makeAngles(cosines->value, ofPairs, rewriter, loc);
  Value sine = makeAngles(sines->value, ofPairs, rewriter, loc);
  Value heads = rotation.heads;
  RankedTensorType type = typeOf(heads);
  if (cosines->positions == 1) {
    // Each position is a sample of its own, so that the heads need no transpose.
    ArrayRef<int64_t> shape = type.getShape();
    cosine = spreadAngles(cosine, cosines->hasBatch, shape[0], rewriter, loc);
    sine = spreadAngles(sine, cosines->hasBatch, shape[0], rewriter, loc);
    heads = ReshapeOp::create(rewriter, loc,
                              type.clone({shape[0] * shape[1], shape[2], 1, shape[3]}), heads);
  }
  Value rotated = RotaryEmbeddingOp::create(rewriter, loc, heads.getType(), heads, cosine, sine,
                                            rotation.pairing == Pairing::Neighbors);
  if (rotated.getType() != type)
    rotated = ReshapeOp::create(rewriter, loc, type, rotated);
  rewriter.replaceOp(op, rotated);
  return success();
}

static bool isHeads(RankedTensorType type) {
  return type.getRank() == 4 && isa<FloatType>(type.getElementType());
}

static LogicalResult raiseRotary(AddOp op, PatternRewriter &rewriter) {
  std::optional<Rotation> rotation =
      isHeads(op.getType()) ? matchRotation(op) : std::optional<Rotation>();
  if (!rotation)
    return failure();
  return replace(op, *rotation, rotation->pairing, rewriter);
}

/// Returns x of which `first` and `second` are the elements of the pairs; null if there is none.
static Value findPaired(Value first, Value second, Pairing pairing) {
  auto split = first.getDefiningOp<SplitOp>();
  auto slice = first.getDefiningOp<SliceOp>();
  Value x = split ? split.getInput() : slice ? slice.getInput() : Value();
  if (!x || !isHeads(typeOf(x)))
    return {};
  int64_t width = typeOf(x).getShape().back();
  bool isPaired = pairing == Pairing::Halves
                      ? width % 2 == 0 && isHalf(first, x, 0) && isHalf(second, x, width / 2)
                      : isOfPairs(first, x, 0) && isOfPairs(second, x, 1);
  return isPaired ? x : Value();
}

/// Returns whether two values are equal: tables that exporters fold once for each use.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  if (!left || !right || a.getType() != b.getType() || left->getName() != right->getName())
    return false;
  if (isa<ConstantOp>(left)) {
    std::optional<SmallVector<double>> numbers = readConstant(a);
    return numbers && numbers == readConstant(b);
  }
  auto broadcast = dyn_cast<BroadcastOp>(left);
  if (broadcast && broadcast.getDims() != cast<BroadcastOp>(right).getDims())
    return false;
  return isa<BroadcastOp, ReshapeOp, CosOp, SinOp>(left) &&
         isSame(left->getOperand(0), right->getOperand(0));
}

/// Matches `minus` = x₁ · cosine - x₂ · sine and `plus` = x₂ · cosine + x₁ · sine.
static std::optional<Rotation> matchParts(Value minus, Value plus, Pairing pairing) {
  auto sub = minus.getDefiningOp<SubOp>();
  auto add = plus.getDefiningOp<AddOp>();
  auto left = sub ? sub.getLhs().getDefiningOp<MulOp>() : MulOp();
  auto right = sub ? sub.getRhs().getDefiningOp<MulOp>() : MulOp();
  std::optional<Rotation> found;
  if (!left || !right || !add)
    return found;
  auto isProduct = [](Value value, Value a, Value b) {
    auto mul = value.getDefiningOp<MulOp>();
    return mul && matchEither(mul, [&](Value x, Value y) { return x == a && isSame(y, b); });
  };
  matchEither(left, [&](Value first, Value cosine) {
    return matchEither(right, [&](Value second, Value sine) {
      Value x = findPaired(first, second, pairing);
      if (x && matchEither(add, [&](Value a, Value b) {
            return isProduct(a, second, cosine) && isProduct(b, first, sine);
          }))
        found = Rotation{x, cosine, sine, pairing};
      return found.has_value();
    });
  });
  return found;
}

static LogicalResult raiseConcat(ConcatOp op, PatternRewriter &rewriter) {
  int64_t last = op.getType().getRank() - 1;
  if (op.getInputs().size() != 2 || int64_t(op.getAxis()) != last)
    return failure();
  if (isHeads(op.getType())) {
    auto rotation = matchParts(op.getInputs()[0], op.getInputs()[1], Pairing::Halves);
    return rotation ? replace(op, *rotation, std::nullopt, rewriter) : failure();
  }
  // A stack of pairs becomes heads by a reshape.
  auto reshape = op->hasOneUse() ? dyn_cast<ReshapeOp>(*op->user_begin()) : ReshapeOp();
  auto first = op.getInputs()[0].getDefiningOp<ReshapeOp>();
  auto second = op.getInputs()[1].getDefiningOp<ReshapeOp>();
  if (!reshape || !first || !second || !isHeads(reshape.getType()) || last != 4 ||
      op.getType().getDimSize(last) != 2)
    return failure();
  auto rotation = matchParts(first.getInput(), second.getInput(), Pairing::Neighbors);
  if (!rotation || typeOf(rotation->heads) != reshape.getType())
    return failure();
  rewriter.setInsertionPoint(reshape);
  return replace(reshape, *rotation, std::nullopt, rewriter);
}

namespace {
struct RaiseRotary : pcc::graph::impl::GraphRaiseRotaryBase<RaiseRotary> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseRotary);
    patterns.add(raiseConcat);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
