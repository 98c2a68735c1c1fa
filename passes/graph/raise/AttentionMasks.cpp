// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates constant masks element by element, and bounds other masks by where their values come
// from. A constant or a comparison (DiagonalMasks.cpp) that hides all positions beyond a diagonal
// becomes the flag `causal`. What remains is added up to one mask.
#include "passes/graph/raise/AttentionMasks.h"

#include "dialects/graph/Constants.h"
#include "dialects/graph/Roles.h"
#include "passes/graph/Narrow.h"

#include <cmath>

using namespace mlir;

namespace pcc::graph {

namespace {

/// Maximum number of elements for which the visible positions of all masks together are computed.
constexpr int64_t maxVisible = int64_t(1) << 26;

bool isHidden(double number) { return number <= maxHiddenScore; }

/// Returns whether `value` may hold numbers that hide positions. They come from inputs, or from
/// constants of great magnitude. Parameters and results of matmuls do not hide positions.
bool mayHide(Value value) {
  constexpr size_t maxOps = 64;
  llvm::SetVector<Value> found;
  found.insert(value);
  for (size_t next = 0; next < found.size(); ++next) {
    Operation *op = found[next].getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(found[next]);
      auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      RoleAttr role = function ? getArgRole(function, argument.getArgNumber()) : RoleAttr();
      bool isParameter = role && role.getKind() == RoleKind::Parameter;
      if (!isParameter && isa<FloatType>(typeOf(argument).getElementType()))
        return true;
      continue;
    }
    if (isa<MatmulOp, EinsumOp>(op))
      continue;
    if (found.size() > maxOps || isa<LogOp>(op))
      return true;
    if (isa<ConstantOp>(op) && isa<FloatType>(typeOf(found[next]).getElementType())) {
      std::optional<double> splat = getSplat(found[next]);
      auto numbers = splat ? std::optional(SmallVector<double>{*splat}) : readConstant(found[next]);
      if (!numbers || llvm::any_of(*numbers, [](double number) {
            return !(std::fabs(number) < -maxHiddenScore);
          }))
        return true;
    }
    found.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

} // namespace

/// Properties of a known mask.
struct ConstantFacts {
  bool isZero = true;               ///< no position is hidden, and nothing is added
  bool isTwofold = true;            ///< all numbers are 0 or hide
  bool hidesByInf = true;           ///< hidden positions are -∞
  bool hidesBeyondDiagonal = false; ///< hides all key positions beyond the query's + offset
  bool hidesOther = false;          ///< other positions are hidden as well
  int64_t offset = 0;
};

struct Masks::Term {
  Mask mask;
  std::optional<Numbers> added; ///< numbers to add, of rank 4, if they are known
  bool isDiagonal = false;      ///< a comparison that hides positions beyond a diagonal
  ConstantFacts facts;          ///< of known numbers, and of a diagonal
  bool mayHide = false;         ///< whether it may hide a position

  bool isKnown() const { return added || isDiagonal; }
};

Masks::~Masks() = default;

/// Takes the offset of a causal mask from the last visible position of the first row. Then checks
/// whether the positions beyond this diagonal are hidden, and whether others are.
static void findDiagonal(const Numbers &mask, ArrayRef<int64_t> scores, ConstantFacts &facts) {
  int64_t rows = scores[2], columns = scores[3];
  if (mask.shape[2] != rows || mask.shape[3] != columns)
    return;
  ArrayRef<double> numbers = mask.values;
  int64_t numVisible = 0;
  for (int64_t column = 0; column < columns; ++column)
    if (!isHidden(numbers[column]))
      numVisible = column + 1;
  facts.offset = numVisible - 1;
  facts.hidesBeyondDiagonal = numVisible < columns;
  for (int64_t line = 0; line * columns < int64_t(numbers.size()); ++line) {
    int64_t row = line % rows;
    for (auto [column, number] : llvm::enumerate(numbers.slice(line * columns, columns))) {
      bool isBeyond = int64_t(column) > row + facts.offset;
      facts.hidesBeyondDiagonal &= !isBeyond || isHidden(number);
      facts.hidesOther |= !isBeyond && isHidden(number);
    }
  }
}

static ConstantFacts findFacts(const Numbers &mask, ArrayRef<int64_t> scores) {
  ConstantFacts facts;
  for (double number : mask.values) {
    facts.isZero &= number == 0.0;
    facts.isTwofold &= number == 0.0 || isHidden(number);
    facts.hidesByInf &= !isHidden(number) || std::isinf(number);
  }
  if (!facts.isZero)
    findDiagonal(mask, scores, facts);
  return facts;
}

/// Returns the numbers that a known mask adds, in the rank of the scores.
static std::optional<Numbers> readAdded(const Mask &mask, ArrayRef<int64_t> scores) {
  std::optional<Numbers> numbers = readNumbers(mask.value);
  if (!numbers)
    return std::nullopt;
  for (double &number : numbers->values) {
    if (mask.isBoolean())
      number = (number != 0.0) == mask.hidesTrue ? mask.hidden : 0.0;
    else
      number *= mask.factor;
  }
  auto shape = fitShape(typeOf(mask.value).getShape(), numbers->shape, scores);
  if (!shape)
    return std::nullopt;
  numbers->shape = *shape;
  return numbers;
}

/// Returns the properties of a comparison that hides all positions beyond a diagonal and adds
/// nothing elsewhere.
static std::optional<ConstantFacts> findDiagonalFacts(const Mask &mask, ArrayRef<int64_t> scores) {
  std::optional<DiagonalMask> diagonal = findDiagonalMask(mask.value, scores);
  if (!diagonal)
    return std::nullopt;
  auto add = [&](double held) {
    if (mask.isBoolean())
      return (held != 0.0) == mask.hidesTrue ? mask.hidden : 0.0;
    return held * mask.factor;
  };
  double beyond = add(diagonal->beyond);
  if (!isHidden(beyond) || add(diagonal->elsewhere) != 0.0 || diagonal->offset >= scores[3] - 1)
    return std::nullopt;
  ConstantFacts facts;
  facts.isZero = false;
  facts.hidesByInf = std::isinf(beyond);
  facts.hidesBeyondDiagonal = true;
  facts.offset = diagonal->offset;
  return facts;
}

/// Returns whether each row has a position that none of `masks` hides.
static bool hasVisibleInEveryRow(ArrayRef<const Numbers *> masks) {
  SmallVector<int64_t> shape(4, 1);
  for (const Numbers *mask : masks)
    for (int64_t dim = 0; dim < 4; ++dim)
      shape[dim] = std::max(shape[dim], mask->shape[dim]);
  int64_t count = llvm::product_of(shape), columns = shape.back();
  if (count > maxVisible)
    return false;
  for (int64_t row = 0; row < count / columns; ++row) {
    // The start of the row in each mask, and whether the mask has a number for each column.
    SmallVector<std::pair<const double *, bool>> rows;
    for (const Numbers *mask : masks)
      rows.emplace_back(mask->find(row * columns, shape), mask->shape.back() != 1);
    bool isVisible = false;
    for (int64_t column = 0; column < columns && !isVisible; ++column)
      isVisible = llvm::none_of(
          rows, [&](auto &start) { return isHidden(start.first[start.second ? column : 0]); });
    if (!isVisible)
      return false;
  }
  return true;
}

Masks::Masks(ArrayRef<Mask> masks, ArrayRef<int64_t> scores, Type element)
    : scores(scores.begin(), scores.end()), element(element) {
  SmallVector<const Numbers *> known;
  for (const Mask &mask : masks) {
    Term &term = terms.emplace_back();
    term.mask = mask;
    term.added = readAdded(mask, scores);
    if (term.added)
      term.facts = findFacts(*term.added, scores);
    else if (auto facts = findDiagonalFacts(mask, scores)) {
      term.isDiagonal = true;
      term.facts = *facts;
    }
    term.mayHide = term.added ? llvm::any_of(term.added->values, isHidden)
                              : mask.isBoolean() || term.isDiagonal || mayHide(mask.value);
  }
  for (const Term &term : terms)
    if (term.added)
      known.push_back(&*term.added);
  everyRowHasVisible =
      llvm::all_of(terms, [](const Term &term) { return term.added || !term.mayHide; })
          ? hasVisibleInEveryRow(known)
          : isOnlyDiagonal();
}

/// Returns whether a diagonal, which leaves the first position of each row visible, alone hides
/// positions.
bool Masks::isOnlyDiagonal() const {
  return llvm::all_of(terms, [](const Term &term) {
    return !term.mayHide || (term.isDiagonal && term.facts.offset >= 0);
  });
}

/// Returns whether the only mask that hides positions is a select by a finite number, which may
/// replace all scores of a row.
bool Masks::replacesWholeRows() const {
  auto hides = [](const Term &term) { return term.mayHide; };
  auto isFinite = [](const Term &term) {
    return term.mayHide && term.mask.isBoolean() && !std::isinf(term.mask.hidden);
  };
  return !everyRowHasVisible && llvm::count_if(terms, hides) == 1 && llvm::any_of(terms, isFinite);
}

std::string Masks::findObstacle() const {
  for (const Term &term : terms) {
    if (term.mask.isBoolean() && term.mayHide && !std::isinf(term.mask.hidden) &&
        !everyRowHasVisible && !replacesWholeRows())
      return "a mask may hide a whole row by a finite score";
    if (term.mask.isBoolean())
      continue;
    unsigned width = typeOf(term.mask.value).getElementType().getIntOrFloatBitWidth();
    bool survives =
        term.isKnown() && term.facts.isTwofold && (term.facts.hidesByInf || everyRowHasVisible);
    if (width > element.getIntOrFloatBitWidth() && !survives)
      return "the mask has a wider element type than the query";
  }
  return "";
}

/// Returns whether the flag `causal` may replace the positions that `term` hides beyond a diagonal.
/// It may if the scores there are -∞, or if every row has a visible position beside them.
bool Masks::mayBeCausal(const Term &term) const {
  return term.isKnown() && term.facts.hidesBeyondDiagonal &&
         (term.facts.hidesByInf || everyRowHasVisible);
}

bool Masks::isFlag() const {
  return llvm::all_of(terms, [&](const Term &term) {
    return term.isKnown() && (term.facts.isZero || (mayBeCausal(term) && term.facts.isTwofold &&
                                                    !term.facts.hidesOther));
  });
}

/// Returns a mask as numbers to add, narrowed and of rank 4.
static Value makeAdded(const Mask &mask, ArrayRef<int64_t> scores, Type element,
                       PatternRewriter &rewriter, Location loc) {
  Value value = narrow(mask.value, scores, rewriter, loc);
  RankedTensorType type = typeOf(value).clone(element);
  if (mask.isBoolean()) {
    Value hidden = ConstantOp::create(rewriter, loc, type, mask.hidden);
    Value seen = ConstantOp::create(rewriter, loc, type, 0.0);
    return SelectOp::create(rewriter, loc, type, value, mask.hidesTrue ? hidden : seen,
                            mask.hidesTrue ? seen : hidden);
  }
  if (mask.factor != 1.0)
    value = MulOp::create(rewriter, loc, value.getType(), value,
                          ConstantOp::create(rewriter, loc, typeOf(value), mask.factor));
  if (value.getType() != type)
    value = CastOp::create(rewriter, loc, type, value);
  return value;
}

/// Returns for each row a number above 0 if a boolean mask leaves a position visible, else 0.
static Value findVisibleRows(const Mask &mask, ArrayRef<int64_t> scores, Type element,
                             PatternRewriter &rewriter, Location loc) {
  Value visible = narrow(mask.value, scores, rewriter, loc);
  if (mask.hidesTrue)
    visible = NotOp::create(rewriter, loc, visible.getType(), visible);
  Value number = CastOp::create(rewriter, loc, typeOf(visible).clone(element), visible);
  return ReduceOp::create(rewriter, loc, ReduceOpKind::Max, number, ArrayRef<int64_t>{3});
}

/// Returns the sum of two masks whose dimensions are equal or 1.
static Value addMasks(Value a, Value b, PatternRewriter &rewriter, Location loc) {
  SmallVector<int64_t> shape;
  for (auto [left, right] : llvm::zip(typeOf(a).getShape(), typeOf(b).getShape()))
    shape.push_back(std::max(left, right));
  RankedTensorType type = typeOf(a).clone(shape);
  auto repeat = [&](Value value) -> Value {
    if (value.getType() == type)
      return value;
    return BroadcastOp::create(rewriter, loc, type, value, ArrayRef<int64_t>{0, 1, 2, 3});
  };
  return AddOp::create(rewriter, loc, type, repeat(a), repeat(b));
}

Masking Masks::build(PatternRewriter &rewriter, Location loc) const {
  Masking masking;
  for (const Term &term : terms) {
    if (term.isKnown() && term.facts.isZero)
      continue;
    bool isExact = term.facts.isTwofold && !term.facts.hidesOther;
    bool isUsual = term.facts.offset == scores[3] - scores[2];
    if (!masking.causal && mayBeCausal(term) && (isExact || isUsual)) {
      masking.causal = true;
      if (!isUsual)
        masking.offset =
            ConstantOp::create(rewriter, loc, RankedTensorType::get({}, rewriter.getI64Type()),
                               double(term.facts.offset));
      if (isExact)
        continue;
    }
    if (term.mayHide && replacesWholeRows())
      masking.rowHasVisible = findVisibleRows(term.mask, scores, element, rewriter, loc);
    Value added = makeAdded(term.mask, scores, element, rewriter, loc);
    masking.mask = masking.mask ? addMasks(masking.mask, added, rewriter, loc) : added;
  }
  return masking;
}

} // namespace pcc::graph
