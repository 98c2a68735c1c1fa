// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes rotary embedding of heads [batch, heads, positions, width] in its usual form:
//
//   x · cosines + concat(-x₂, x₁) · sines        x₁, x₂: the halves of x along the width
//
// where cosines and sines are tables of the positions, repeated for all heads. Both halves of a
// table along the width are equal. Assumes canonical form; leaves the matched ops to be erased if
// nothing else reads them.
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

/// Returns whether `value` is concat(-x₂, x₁).
static bool isTurned(Value value, Value x) {
  auto concat = value.getDefiningOp<ConcatOp>();
  int64_t last = typeOf(x).getRank() - 1, width = typeOf(x).getDimSize(last);
  if (!concat || int64_t(concat.getAxis()) != last || concat.getInputs().size() != 2 || width % 2)
    return false;
  auto negated = concat.getInputs()[0].getDefiningOp<NegOp>();
  return negated && isHalf(negated->getOperand(0), x, width / 2) &&
         isHalf(concat.getInputs()[1], x, 0);
}

/// Returns whether both halves of `table` along its last dimension are equal. They are equal by
/// their numbers, or because the table is computed element by element from such tables.
static bool hasEqualHalves(Value table) {
  if (findSplat(table))
    return true;
  Operation *op = table.getDefiningOp();
  int64_t width = typeOf(table).getShape().empty() ? 0 : typeOf(table).getShape().back();
  if (!op || width < 2 || width % 2)
    return false;
  if (auto concat = dyn_cast<ConcatOp>(op))
    return int64_t(concat.getAxis()) == typeOf(table).getRank() - 1 &&
           concat.getInputs().size() == 2 && concat.getInputs()[0] == concat.getInputs()[1];
  if (isa<CosOp, SinOp, MulOp, NegOp, CastOp>(op))
    return llvm::all_of(op->getOperands(), hasEqualHalves);
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    RankedTensorType from = typeOf(reshape.getInput());
    return from.getRank() > 0 && from.getShape().back() == width &&
           hasEqualHalves(reshape.getInput());
  }
  std::optional<SmallVector<double>> numbers = readConstant(table);
  if (!numbers)
    return false;
  for (size_t row = 0; row < numbers->size(); row += width) {
    ArrayRef<double> all = ArrayRef(*numbers).slice(row, width);
    if (all.take_front(width / 2) != all.take_back(width / 2))
      return false;
  }
  return true;
}

/// Returns the table [positions, width] or [batch, positions, width], up to sizes of one, that
/// `repeated` repeats to the type of the heads. The halves of the table must be equal. Returns null
/// if there is no such table.
static Value findTable(Value repeated) {
  auto broadcast = repeated.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  Value table = broadcast.getInput();
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::zip_equal(broadcast.getDims(), typeOf(table).getShape()))
    if (size != 1)
      dims.push_back(dim);
  bool isTable = dims == SmallVector<int64_t>{2, 3} || dims == SmallVector<int64_t>{0, 2, 3};
  return isTable && hasEqualHalves(table) ? table : Value();
}

/// Returns the angles of the pairs: half of each row of `table`, without sizes of one.
static Value makeAngles(Value table, PatternRewriter &rewriter, Location loc) {
  RankedTensorType type = typeOf(table);
  SmallVector<int64_t> half(type.getShape());
  half.back() /= 2;
  Value angles = SliceOp::create(rewriter, loc, type.clone(half), table, type.getRank() - 1, 0);
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
};

} // namespace

static std::optional<Rotation> matchRotation(AddOp op) {
  std::optional<Rotation> found;
  matchEither(op, [&](Value straight, Value turned) {
    auto first = straight.getDefiningOp<MulOp>(), second = turned.getDefiningOp<MulOp>();
    return first && second && matchEither(first, [&](Value x, Value cosine) {
             return matchEither(second, [&](Value rotated, Value sine) {
               if (isTurned(rotated, x))
                 found = Rotation{x, cosine, sine};
               return found.has_value();
             });
           });
  });
  return found;
}

static LogicalResult raiseRotary(AddOp op, PatternRewriter &rewriter) {
  if (op.getType().getRank() != 4 || !isa<FloatType>(op.getType().getElementType()))
    return failure();
  std::optional<Rotation> rotation = matchRotation(op);
  if (!rotation)
    return failure();
  Value cosines = findTable(rotation->cosine), sines = findTable(rotation->sine);
  if (!cosines || !sines || cosines.getType() != sines.getType())
    return failure();
  Location loc = fuseLocations(op, {rotation->heads, rotation->cosine, rotation->sine});
  Value cosine = makeAngles(cosines, rewriter, loc), sine = makeAngles(sines, rewriter, loc);
  rewriter
      .replaceOpWithNewOp<RotaryEmbeddingOp>(op, op.getType(), rotation->heads, cosine, sine,
                                             /*interleaved=*/false)
      ->setLoc(loc);
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
