// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes rotary embedding of heads [batch, heads, positions, width] or [batch, positions,
// heads, width] in its usual forms:
//
//   x · cosines + concat(-x₂, x₁) · sines        x₁, x₂: the halves of x along the width
//   x · cosines + pairs(-x₂, x₁) · sines         x₁, x₂: the even and the odd elements
//
// where cosines and sines are tables of the positions, repeated for all heads. Both elements of a
// pair have equal numbers in a table. Assumes canonical form; leaves the matched ops to be erased
// if nothing else reads them.
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
static std::optional<Table> findTable(Value repeated, Pairing pairing) {
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
      !hasEqualPairs(table.value, pairing))
    return std::nullopt;
  table.positions = dims[0];
  return table;
}

/// Returns the angles of the pairs: one number of each pair of `table`, without sizes of one.
static Value makeAngles(Value table, Pairing pairing, PatternRewriter &rewriter, Location loc) {
  RankedTensorType type = typeOf(table);
  SmallVector<int64_t> half(type.getShape());
  half.back() /= 2;
  Value angles = SliceOp::create(rewriter, loc, type.clone(half), table, type.getRank() - 1, 0,
                                 pairing == Pairing::Halves ? 1 : 2);
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

static LogicalResult raiseRotary(AddOp op, PatternRewriter &rewriter) {
  if (op.getType().getRank() != 4 || !isa<FloatType>(op.getType().getElementType()))
    return failure();
  std::optional<Rotation> rotation = matchRotation(op);
  if (!rotation)
    return failure();
  auto cosines = findTable(rotation->cosine, rotation->pairing);
  auto sines = findTable(rotation->sine, rotation->pairing);
  if (!cosines || !sines || !(*cosines == *sines))
    return failure();
  Location loc = fuseLocations(op, {rotation->heads, rotation->cosine, rotation->sine});
  Value cosine = makeAngles(cosines->value, rotation->pairing, rewriter, loc);
  Value sine = makeAngles(sines->value, rotation->pairing, rewriter, loc);
  Value heads = rotation->heads;
  if (cosines->positions == 1) {
    // Each position is a sample of its own, so that the heads need no transpose.
    ArrayRef<int64_t> shape = op.getType().getShape();
    cosine = spreadAngles(cosine, cosines->hasBatch, shape[0], rewriter, loc);
    sine = spreadAngles(sine, cosines->hasBatch, shape[0], rewriter, loc);
    heads = ReshapeOp::create(
        rewriter, loc, op.getType().clone({shape[0] * shape[1], shape[2], 1, shape[3]}), heads);
  }
  Value rotated = RotaryEmbeddingOp::create(rewriter, loc, heads.getType(), heads, cosine, sine,
                                            rotation->pairing == Pairing::Neighbors);
  if (rotated.getType() != op.getType())
    rotated = ReshapeOp::create(rewriter, loc, op.getType(), rotated);
  rewriter.replaceOp(op, rotated);
  return success();
}

namespace {
struct RaiseRotary : pcc::graph::impl::GraphRaiseRotaryBase<RaiseRotary> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseRotary);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
