// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from the softmax back to the matmul of the scores, one op at a time. Collects the scale and
// the masks on the way. The first op that an attention cannot express ends the walk with a reason.
// Nothing is built before the match is certain.
#include "passes/graph/raise/AttentionScores.h"

#include "passes/graph/Narrow.h"
#include "passes/graph/ShapeChain.h"

#include <cmath>

using namespace mlir;

namespace pcc::graph {

/// Returns whether `op` casts floats, or reshapes all dimensions but the last two.
static bool keepsMatrices(Operation *op) {
  if (auto cast = dyn_cast_if_present<CastOp>(op))
    return isa<FloatType>(cast.getInput().getType().getElementType()) &&
           isa<FloatType>(cast.getType().getElementType());
  auto reshape = dyn_cast_if_present<ReshapeOp>(op);
  if (!reshape)
    return false;
  ArrayRef<int64_t> from = reshape.getInput().getType().getShape();
  ArrayRef<int64_t> to = reshape.getType().getShape();
  return from.size() >= 2 && to.size() >= 2 && from.take_back(2) == to.take_back(2);
}

/// Returns x of select(x is NaN, 0, x), which torch's exporter puts behind a softmax so that fully
/// masked rows are 0; else null.
static Value findGuarded(SelectOp op) {
  auto compare = op.getPredicate().getDefiningOp<CompareOp>();
  bool isGuard = compare && compare.getDirection() == Direction::NE &&
                 compare.getLhs() == compare.getRhs() && compare.getLhs() == op.getOnFalse() &&
                 findSplat(op.getOnTrue()) == 0.0;
  return isGuard ? op.getOnFalse() : Value();
}

SoftmaxOp findWeights(MatmulOp op) {
  Value weights = op.getLhs();
  while (Operation *producer = weights.getDefiningOp()) {
    auto select = dyn_cast<SelectOp>(producer);
    if (Value guarded = select ? findGuarded(select) : Value())
      weights = guarded;
    else if (keepsMatrices(producer))
      weights = producer->getOperand(0);
    else
      break;
  }
  auto softmax = weights.getDefiningOp<SoftmaxOp>();
  bool isLast = softmax && int64_t(softmax.getAxis()) == softmax.getType().getRank() - 1;
  return isLast && !op.getTransposeLhs() ? softmax : SoftmaxOp();
}

/// Returns the matmul of scores from which `value` is computed by terms, factors, casts and
/// reshapes; null if there is none.
static MatmulOp findScores(Value value) {
  SmallVector<Value> work{value};
  for (size_t next = 0; next < work.size() && work.size() < 32; ++next) {
    Operation *op = work[next].getDefiningOp();
    if (auto matmul = dyn_cast_if_present<MatmulOp>(op))
      return matmul.getType().getRank() >= 3 ? matmul : MatmulOp();
    if (keepsMatrices(op) || isa_and_present<TanhOp, ClampOp, NegOp>(op))
      work.push_back(op->getOperand(0));
    else if (auto select = dyn_cast_if_present<SelectOp>(op))
      work.append({select.getOnTrue(), select.getOnFalse()});
    else if (isa_and_present<AddOp, SubOp, MulOp, DivOp>(op))
      work.append({op->getOperand(0), op->getOperand(1)});
  }
  return {};
}

namespace {

/// Walks from the softmax back to the matmul of the scores.
struct ScoreWalk {
  double scale = 1.0; ///< factor between `value` and the softmax
  SmallVector<Mask, 2> masks;
  SmallVector<Value> passed; ///< values that have the shape of scores
  std::string obstacle;

  /// Steps over the op that defines `value`; returns whether it could.
  bool step(Value &value);

private:
  bool stepSelect(SelectOp op, Value &value);
  bool stepTerms(Operation *op, Value &value);
  void addMask(Value mask, double factor);
  bool stepFactors(Operation *op, Value &value);
};

} // namespace

bool ScoreWalk::stepSelect(SelectOp op, Value &value) {
  for (bool hidesTrue : {true, false}) {
    Value hidden = hidesTrue ? op.getOnTrue() : op.getOnFalse();
    std::optional<double> score = findSplat(hidden);
    if (!score || *score * scale > maxHiddenScore)
      continue;
    masks.push_back({op.getPredicate(), hidesTrue, *score * scale});
    value = hidesTrue ? op.getOnFalse() : op.getOnTrue();
    return true;
  }
  obstacle = "a select mixes the scores with others";
  return false;
}

/// Adds `mask` as terms of its own, so that its constant terms are known.
void ScoreWalk::addMask(Value mask, double factor) {
  auto sum = mask.getDefiningOp<AddOp>();
  if (sum && (readNumbers(sum.getLhs()) || readNumbers(sum.getRhs()))) {
    addMask(sum.getLhs(), factor);
    addMask(sum.getRhs(), factor);
    return;
  }
  Mask &added = masks.emplace_back();
  added.value = mask;
  added.factor = factor;
}

bool ScoreWalk::stepTerms(Operation *op, Value &value) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  bool isSum = isa<AddOp>(op);
  // If both sides are computed from scores, a matmul itself comes first.
  bool prefersRhs = isSum && rhs.getDefiningOp<MatmulOp>() && !lhs.getDefiningOp<MatmulOp>();
  bool takesLhs = findScores(lhs) && !prefersRhs;
  if (!takesLhs && (!isSum || !findScores(rhs))) {
    obstacle = "the scores are subtracted";
    return false;
  }
  addMask(takesLhs ? rhs : lhs, isSum ? scale : -scale);
  value = takesLhs ? lhs : rhs;
  return true;
}

bool ScoreWalk::stepFactors(Operation *op, Value &value) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  std::optional<double> right = findSplat(rhs);
  std::optional<double> left = isa<MulOp>(op) ? findSplat(lhs) : std::nullopt;
  if (!left && !right) {
    obstacle = "the scores are multiplied or divided by a value that is not one number";
    return false;
  }
  scale = isa<DivOp>(op) ? scale / *right : scale * (right ? *right : *left);
  value = right ? lhs : rhs;
  return true;
}

bool ScoreWalk::step(Value &value) {
  passed.push_back(value);
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast<SelectOp>(op))
    return stepSelect(select, value);
  if (isa<AddOp, SubOp>(op))
    return stepTerms(op, value);
  if (isa<MulOp, DivOp>(op))
    return stepFactors(op, value);
  if (keepsMatrices(op)) {
    value = op->getOperand(0);
    return true;
  }
  obstacle = isa<TanhOp>(op) ? "a tanh caps the scores"
                             : ("'" + op->getName().getStringRef() + "' changes the scores").str();
  return false;
}

namespace {

/// Heads that are repeated for groups: `input` in the shape [batch, groups, positions, width].
struct Groups {
  Value input;
  RankedTensorType type;
};

} // namespace

/// Finds the heads that `value` repeats for the heads of each group.
static std::optional<Groups> findGroups(Value value) {
  RankedTensorType type = typeOf(value);
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto broadcast = (reshape ? reshape.getInput() : value).getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return std::nullopt;
  ArrayRef<int64_t> whole = broadcast.getType().getShape();
  Value input = broadcast.getInput();
  SmallVector<bool> repeats(whole.size(), true);
  for (auto [dim, size] : llvm::zip(broadcast.getDims(), typeOf(input).getShape()))
    repeats[dim] = size != whole[dim];
  if (whole.size() < 3 || whole.take_back(2) != type.getShape().take_back(2))
    return std::nullopt;
  // The innermost dimensions of the heads are the repeated ones, and no other one is.
  int64_t copies = 1;
  bool repeatsOuter = false;
  for (int64_t dim = int64_t(whole.size()) - 1; dim >= 0; --dim) {
    bool isHead = dim < int64_t(whole.size()) - 2;
    if (whole[dim] == 1)
      continue;
    if (!repeats[dim])
      repeatsOuter |= isHead;
    else if (!isHead || repeatsOuter)
      return std::nullopt;
    else
      copies *= whole[dim];
  }
  int64_t heads = type.getDimSize(1);
  if (copies == 1 || heads % copies)
    return std::nullopt;
  int64_t shape[] = {type.getDimSize(0), heads / copies, type.getDimSize(2), type.getDimSize(3)};
  if (llvm::product_of(shape) != typeOf(input).getNumElements())
    return std::nullopt;
  return Groups{input, type.clone(shape)};
}

bool takeGroups(Value &key, Value &value, PatternRewriter &rewriter) {
  std::optional<Groups> ofKey = findGroups(key), ofValue = findGroups(value);
  if (!ofKey || !ofValue || ofKey->type.getDimSize(1) != ofValue->type.getDimSize(1))
    return false;
  auto make = [&](const Groups &groups, Location loc) -> Value {
    if (typeOf(groups.input) == groups.type)
      return groups.input;
    return simplifyShapeChain(ReshapeOp::create(rewriter, loc, groups.type, groups.input),
                              rewriter);
  };
  key = make(*ofKey, key.getLoc());
  value = make(*ofValue, value.getLoc());
  return true;
}

/// Returns batch and heads of scores whose values on the way have the shapes of `passed`.
static std::pair<int64_t, int64_t> findHeads(ArrayRef<Value> passed, MatmulOp matmul) {
  // A value of rank 4 shows both. Other ranks have more dimensions of samples, or none.
  for (Value value : passed)
    if (typeOf(value).getRank() == 4)
      return {typeOf(value).getDimSize(0), typeOf(value).getDimSize(1)};
  ArrayRef<int64_t> lead = matmul.getType().getShape().drop_back(2);
  return {llvm::product_of(lead.drop_back()), lead.back()};
}

/// Returns `value` with dimensions [batch, heads, positions, width].
static Value withHeads(Value value, std::pair<int64_t, int64_t> heads, PatternRewriter &rewriter) {
  RankedTensorType type = typeOf(value);
  int64_t rank = type.getRank();
  int64_t shape[] = {heads.first, heads.second, type.getDimSize(rank - 2),
                     type.getDimSize(rank - 1)};
  if (type.getShape() == ArrayRef(shape))
    return value;
  return simplifyShapeChain(ReshapeOp::create(rewriter, value.getLoc(), type.clone(shape), value),
                            rewriter);
}

std::optional<AttentionMatch> matchAttention(MatmulOp op, std::string &obstacle) {
  SoftmaxOp softmax = findWeights(op);
  MatmulOp matmul = softmax ? findScores(softmax.getInput()) : MatmulOp();
  if (!matmul || op.getType().getRank() < 3)
    return std::nullopt;
  ScoreWalk walk;
  Value value = softmax.getInput();
  while (!isa<MatmulOp>(value.getDefiningOp()))
    if (!walk.step(value)) {
      obstacle = walk.obstacle;
      return std::nullopt;
    }
  matmul = value.getDefiningOp<MatmulOp>();
  walk.passed.append({value, op.getLhs()});
  AttentionMatch match;
  match.heads = findHeads(walk.passed, matmul);
  int64_t matrix = matmul.getType().getRank() - 2;
  int64_t scores[] = {match.heads.first, match.heads.second, matmul.getType().getDimSize(matrix),
                      matmul.getType().getDimSize(matrix + 1)};
  Type element = op.getType().getElementType();
  if (obstacle = Masks(walk.masks, scores, element).findObstacle(); !obstacle.empty())
    return std::nullopt;
  auto [query, ofQuery] = splitScale(matmul.getLhs());
  auto [key, ofKey] = splitScale(matmul.getRhs());
  match.scores = matmul;
  match.query = query;
  match.key = key;
  match.value = op.getRhs();
  match.transposesQuery = matmul.getTransposeLhs();
  match.transposesKey = !matmul.getTransposeRhs();
  match.transposesValue = op.getTransposeRhs();
  match.scale = walk.scale * ofQuery * ofKey;
  match.masks = std::move(walk.masks);
  return match;
}

void shapeOperands(AttentionMatch &match, PatternRewriter &rewriter) {
  auto shape = [&](Value &side, bool isTransposed) {
    if (isTransposed)
      side = swapMatrix(side, rewriter, match.scores.getLoc());
    side = withHeads(side, match.heads, rewriter);
  };
  shape(match.query, match.transposesQuery);
  shape(match.key, match.transposesKey);
  shape(match.value, match.transposesValue);
  takeGroups(match.key, match.value, rewriter);
}

} // namespace pcc::graph
