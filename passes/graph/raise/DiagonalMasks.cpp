// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causal masks that a comparison of positions makes, without their elements:
//
//   select (compare le, key, query), 0, -∞        key: 0, 1, 2, … along the last dimension
//                                                 query: the same along the dimension before
//
// Masks of many positions are computed when the program runs, so no constant shows what they hide.
#include "passes/graph/raise/AttentionMasks.h"

#include "passes/graph/Narrow.h"

using namespace mlir;

namespace pcc::graph {
namespace {

/// Successive positions along one dimension of the scores.
struct Positions {
  int64_t dim = 0, first = 0;
};

/// Returns the dimension of the scores along which `value` counts by one.
std::optional<Positions> findPositions(Value value, ArrayRef<int64_t> scores) {
  std::optional<Numbers> numbers = readNumbers(value);
  if (!numbers || !typeOf(value).getElementType().isInteger())
    return std::nullopt;
  auto shape = fitShape(typeOf(value).getShape(), numbers->shape, scores);
  if (!shape)
    return std::nullopt;
  auto varies = [](int64_t size) { return size > 1; };
  auto dim = llvm::find_if(*shape, varies);
  if (dim == shape->end() || llvm::count_if(*shape, varies) != 1)
    return std::nullopt;
  for (auto [index, number] : llvm::enumerate(numbers->values))
    if (number != numbers->values.front() + double(index))
      return std::nullopt;
  return Positions{dim - shape->begin(), int64_t(numbers->values.front())};
}

/// Returns the form of a comparison of a query's position with a key's.
std::optional<DiagonalMask> findComparison(CompareOp compare, ArrayRef<int64_t> scores) {
  std::optional<Positions> key = findPositions(compare.getLhs(), scores);
  std::optional<Positions> query = findPositions(compare.getRhs(), scores);
  if (!key || !query)
    return std::nullopt;
  Direction direction = compare.getDirection();
  bool isSwapped = key->dim == 2 && query->dim == 3; // query ≥ key is key ≤ query
  if (isSwapped)
    std::swap(key, query);
  if (key->dim != 3 || query->dim != 2)
    return std::nullopt;
  bool isLess = direction == Direction::LT || direction == Direction::LE;
  bool isGreater = direction == Direction::GT || direction == Direction::GE;
  if (!isLess && !isGreater)
    return std::nullopt;
  bool keyIsLess = isLess != isSwapped;
  bool isStrict = direction == Direction::LT || direction == Direction::GT;
  // key ≤ query, and not key > query, hold up to the diagonal; key < query and not key ≥ query up
  // to the one before.
  int64_t offset = query->first - key->first - (keyIsLess == isStrict ? 1 : 0);
  return DiagonalMask{offset, keyIsLess ? 0.0 : 1.0, keyIsLess ? 1.0 : 0.0};
}

} // namespace

std::optional<DiagonalMask> findDiagonalMask(Value mask, ArrayRef<int64_t> scores) {
  Operation *op = mask.getDefiningOp();
  if (auto compare = dyn_cast_if_present<CompareOp>(op))
    return findComparison(compare, scores);
  if (auto broadcast = dyn_cast_if_present<BroadcastOp>(op)) {
    // Repeated over samples and heads. The positions keep their dimensions.
    RankedTensorType from = typeOf(broadcast.getInput()), to = typeOf(mask);
    int64_t added = to.getRank() - from.getRank();
    bool keepsOrder = llvm::equal(broadcast.getDims(), llvm::seq<int64_t>(added, to.getRank()));
    bool isWhole =
        from.getRank() >= 2 && from.getShape().take_back(2) == to.getShape().take_back(2);
    SmallVector<int64_t> narrowed(scores);
    narrowed[0] = narrowed[1] = 1;
    int64_t repeated = llvm::product_of(from.getShape().drop_back(2));
    return keepsOrder && isWhole && repeated == 1 ? findDiagonalMask(broadcast.getInput(), narrowed)
                                                  : std::nullopt;
  }
  if (auto invert = dyn_cast_if_present<NotOp>(op)) {
    auto inner = findDiagonalMask(invert.getInput(), scores);
    if (inner)
      std::swap(inner->beyond, inner->elsewhere);
    return inner;
  }
  auto select = dyn_cast_if_present<SelectOp>(op);
  if (!select)
    return std::nullopt;
  std::optional<double> onTrue = findSplat(select.getOnTrue());
  std::optional<double> onFalse = findSplat(select.getOnFalse());
  auto predicate = findDiagonalMask(select.getPredicate(), scores);
  if (!predicate || !onTrue || !onFalse)
    return std::nullopt;
  return DiagonalMask{predicate->offset, predicate->beyond != 0.0 ? *onTrue : *onFalse,
                      predicate->elsewhere != 0.0 ? *onTrue : *onFalse};
}

} // namespace pcc::graph
