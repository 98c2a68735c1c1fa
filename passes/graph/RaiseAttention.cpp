// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes attention.
//
//   scores  = query · keyᵀ [* or / number, before or after]
//   masked  = select(b, -∞, scores) or select(b, scores, -∞) or scores + mask
//   result  = softmax(masked) · value
//
// on tensors [batch, heads, positions, width], or [heads, positions, width] with the heads of all
// samples in one dimension. In the latter case they count as the heads of one sample. Any number
// below `maxHiddenScore` counts as -∞ in a select. A constant mask that hides exactly the positions
// ahead becomes `causal`. Heads that are repeated for groups (reshape of broadcast) are read once.
// Assumes canonical form; leaves the matched ops to be erased if nothing else reads them.
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/graph/Match.h"
#include "passes/graph/Passes.h"

#include <limits>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHRAISEATTENTION
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

namespace {

/// Upper bound of scores whose exponentials are 0 beside others. Files write such numbers for -∞.
constexpr double maxHiddenScore = -1e4;

/// A mask found between the softmax and the matmul of the scores.
struct Mask {
  Value value;            ///< numbers to add, or booleans, perhaps repeated
  bool hidesTrue = false; ///< for booleans: whether true hides
  double hidden = 0.0;    ///< for booleans: the score of hidden positions
  bool isBoolean() const { return typeOf(value).getElementType().isInteger(1); }
};

struct Scores {
  Value query, key; ///< the key as [..., positions, width]
  double scale = 1.0;
  SmallVector<Mask, 2> masks;
};

} // namespace

/// `value` with its last two dimensions exchanged.
static Value swapMatrix(Value value, PatternRewriter &rewriter, Location loc) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  std::swap(permutation[permutation.size() - 2], permutation.back());
  return rewriter.createOrFold<TransposeOp>(loc, value, permutation);
}

/// Returns the mask of a select; `rest` becomes the scores below it.
static std::optional<Mask> takeSelect(SelectOp op, Value &rest) {
  std::optional<double> onTrue = findSplat(op.getOnTrue()), onFalse = findSplat(op.getOnFalse());
  if (onTrue && *onTrue <= maxHiddenScore) {
    rest = op.getOnFalse();
    return Mask{op.getPredicate(), true, *onTrue};
  }
  if (onFalse && *onFalse <= maxHiddenScore) {
    rest = op.getOnTrue();
    return Mask{op.getPredicate(), false, *onFalse};
  }
  return std::nullopt;
}

static MatmulOp findMatmul(Value value) {
  auto matmul = splitScale(value).first.getDefiningOp<MatmulOp>();
  return matmul && matmul.getType().getRank() >= 3 && !matmul.getTransposeLhs() ? matmul
                                                                                : MatmulOp();
}

/// Takes one mask off `value`; returns whether there was one.
static bool takeMask(Value &value, SmallVectorImpl<Mask> &masks) {
  if (auto select = value.getDefiningOp<SelectOp>()) {
    std::optional<Mask> mask = takeSelect(select, value);
    if (mask)
      masks.push_back(*mask);
    return mask.has_value();
  }
  auto add = value.getDefiningOp<AddOp>();
  return add && matchEither(add, [&](Value scores, Value mask) {
           bool isScores =
               findMatmul(scores) || isa_and_present<SelectOp, AddOp>(scores.getDefiningOp());
           if (!isScores || findMatmul(mask))
             return false;
           masks.push_back({mask});
           value = scores;
           return true;
         });
}

static std::optional<Scores> findScores(Value value, PatternRewriter &rewriter) {
  Scores scores;
  while (takeMask(value, scores.masks))
    ;
  auto [inner, factor] = splitScale(value);
  MatmulOp matmul = findMatmul(inner);
  if (!matmul)
    return std::nullopt;
  auto [query, ofQuery] = splitScale(matmul.getLhs());
  auto [key, ofKey] = splitScale(matmul.getRhs());
  scores.query = query;
  scores.key = matmul.getTransposeRhs() ? key : swapMatrix(key, rewriter, matmul.getLoc());
  scores.scale = factor * ofQuery * ofKey;
  return scores;
}

/// Returns the heads that `value` repeats for each group, [batch, groups, positions, width]; null
/// if it repeats none.
static Value findGroups(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto broadcast = reshape ? reshape.getInput().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!broadcast)
    return {};
  ArrayRef<int64_t> to = typeOf(value).getShape(), repeated = typeOf(broadcast).getShape();
  Value input = broadcast.getInput();
  if (repeated.size() != 5 || to.size() != 4 || repeated[1] * repeated[2] != to[1] ||
      repeated[3] != to[2] || repeated[4] != to[3])
    return {};
  int64_t before[] = {repeated[0], repeated[1], repeated[3], repeated[4]};
  for (auto [dim, size] : llvm::zip(broadcast.getDims(), typeOf(input).getShape()))
    if (dim == 2 ? size != 1 : size != repeated[dim])
      return {};
  while (auto inner = input.getDefiningOp<ReshapeOp>()) {
    if (typeOf(input).getShape() == ArrayRef(before))
      break;
    input = inner.getInput();
  }
  return typeOf(input).getShape() == ArrayRef(before) ? input : Value();
}

/// Returns a mask without its repetition, of the same rank with sizes of 1.
static Value narrow(Value mask, PatternRewriter &rewriter, Location loc) {
  auto broadcast = mask.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return mask;
  SmallVector<int64_t> shape(typeOf(mask).getRank(), 1);
  RankedTensorType type = typeOf(broadcast.getInput());
  for (auto [dim, size] : llvm::zip(broadcast.getDims(), type.getShape()))
    shape[dim] = size;
  if (type.getShape() == ArrayRef(shape))
    return broadcast.getInput();
  return ReshapeOp::create(rewriter, loc, type.clone(shape), broadcast.getInput());
}

/// Returns the offset of a constant causal mask: every position i sees exactly the positions up to
/// i + offset. Returns nothing for any other mask.
static std::optional<int64_t> findCausalOffset(const Mask &mask) {
  Value source = mask.value;
  int64_t last = typeOf(source).getRank() - 1;
  if (auto broadcast = source.getDefiningOp<BroadcastOp>()) {
    if (!llvm::is_contained(broadcast.getDims(), last - 1) ||
        !llvm::is_contained(broadcast.getDims(), last))
      return std::nullopt;
    source = broadcast.getInput();
  }
  ArrayRef<int64_t> scores = typeOf(mask.value).getShape(), shape = typeOf(source).getShape();
  std::optional<SmallVector<double>> numbers = readConstant(source);
  int64_t rank = shape.size(), rows = scores[last - 1], columns = scores[last];
  if (!numbers || rank < 2 || shape[rank - 2] != rows || shape[rank - 1] != columns)
    return std::nullopt;
  auto isHidden = [&](double number) {
    return mask.isBoolean() ? (number != 0) == mask.hidesTrue : number <= maxHiddenScore;
  };
  auto isSeen = [&](double number) { return mask.isBoolean() || number == 0.0; };
  int64_t offset = -1;
  while (offset + 1 < columns && !isHidden((*numbers)[offset + 1]))
    ++offset;
  for (auto [index, number] : llvm::enumerate(*numbers)) {
    int64_t row = int64_t(index) / columns % rows, column = int64_t(index) % columns;
    bool ahead = column > row + offset;
    if (isHidden(number) != ahead || (!ahead && !isSeen(number)))
      return std::nullopt;
  }
  return offset;
}

/// Returns the mask as numbers to add.
static Value makeAdded(const Mask &mask, PatternRewriter &rewriter, Location loc, Type element) {
  Value value = narrow(mask.value, rewriter, loc);
  if (!mask.isBoolean())
    return value;
  RankedTensorType type = typeOf(value).clone(element);
  Value hidden = ConstantOp::create(rewriter, loc, type, mask.hidden);
  Value seen = ConstantOp::create(rewriter, loc, type, 0.0);
  return SelectOp::create(rewriter, loc, type, value, mask.hidesTrue ? hidden : seen,
                          mask.hidesTrue ? seen : hidden);
}

namespace {

/// The combined masks of an attention.
struct Masking {
  Value mask, offset;
  bool causal = false;
};

} // namespace

static Masking combineMasks(const Scores &scores, PatternRewriter &rewriter, Location loc) {
  Masking masking;
  RankedTensorType query = typeOf(scores.query);
  int64_t positions = query.getRank() - 2;
  int64_t own = typeOf(scores.key).getDimSize(positions) - query.getDimSize(positions);
  for (const Mask &mask : scores.masks) {
    std::optional<int64_t> offset = masking.causal ? std::nullopt : findCausalOffset(mask);
    if (offset) {
      masking.causal = true;
      if (*offset != own)
        masking.offset = ConstantOp::create(
            rewriter, loc, RankedTensorType::get({}, rewriter.getI64Type()), double(*offset));
      continue;
    }
    Value added = makeAdded(mask, rewriter, loc, query.getElementType());
    if (masking.mask) {
      // Two masks: both in the shape of the scores.
      Value full = mask.value;
      RankedTensorType type = typeOf(full).clone(query.getElementType());
      auto repeat = [&](Value value) -> Value {
        if (value.getType() == type)
          return value;
        return BroadcastOp::create(rewriter, loc, type, value,
                                   llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
      };
      added = AddOp::create(rewriter, loc, type, repeat(masking.mask), repeat(added));
    }
    masking.mask = added;
  }
  return masking;
}

/// Adds a dimension of one sample to `value` if it has none; null stays null.
static Value addSample(Value value, PatternRewriter &rewriter, Location loc) {
  if (!value || typeOf(value).getRank() != 3)
    return value;
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape.insert(shape.begin(), 1);
  return ReshapeOp::create(rewriter, loc, typeOf(value).clone(shape), value);
}

static LogicalResult raiseAttention(MatmulOp op, PatternRewriter &rewriter) {
  auto softmax = op.getLhs().getDefiningOp<SoftmaxOp>();
  int64_t rank = op.getType().getRank();
  if (!softmax || op.getTransposeLhs() || (rank != 3 && rank != 4) ||
      int64_t(softmax.getAxis()) != rank - 1)
    return failure();
  std::optional<Scores> scores = findScores(softmax.getInput(), rewriter);
  if (!scores)
    return failure();
  Value value = op.getRhs();
  if (op.getTransposeRhs())
    value = swapMatrix(value, rewriter, op.getLoc());
  Value keyGroups = findGroups(scores->key), valueGroups = findGroups(value);
  if (keyGroups && valueGroups &&
      typeOf(keyGroups).getDimSize(1) == typeOf(valueGroups).getDimSize(1)) {
    scores->key = keyGroups;
    value = valueGroups;
  }
  SmallVector<Value> inputs{scores->query, scores->key, value};
  for (const Mask &mask : scores->masks)
    inputs.push_back(mask.value);
  Location loc = fuseLocations(op, inputs);
  Masking masking = combineMasks(*scores, rewriter, loc);
  auto attention = AttentionOp::create(
      rewriter, loc, addSample(scores->query, rewriter, loc), addSample(scores->key, rewriter, loc),
      addSample(value, rewriter, loc), addSample(masking.mask, rewriter, loc), masking.offset,
      llvm::APFloat(scores->scale), masking.causal);
  Value result = attention.getResult();
  if (rank == 3)
    result = ReshapeOp::create(rewriter, loc, op.getType(), result);
  rewriter.replaceOp(op, result);
  return success();
}

namespace {
struct RaiseAttention : pcc::graph::impl::GraphRaiseAttentionBase<RaiseAttention> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseAttention);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
