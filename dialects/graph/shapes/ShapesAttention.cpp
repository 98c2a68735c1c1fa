// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result shapes and checks of attention and of the rotary position embedding; labels as in
// docs/spec/graph.md.
#include "dialects/graph/verify/Checks.h"

using namespace mlir;
using namespace pcc::graph;

namespace {

/// Shapes of the operands of attention.
struct AttentionShapes {
  RankedTensorType query, key, value;
  std::optional<RankedTensorType> mask;

  SmallVector<int64_t> ofResult() const {
    return {query.getDimSize(0), query.getDimSize(1), query.getDimSize(2), value.getDimSize(3)};
  }
};

LogicalResult checkAttention(const Reporter &report, const AttentionShapes &shapes) {
  auto [query, key, value, mask] = shapes;
  for (auto [name, type] : {std::pair("query", query), {"key", key}, {"value", value}}) {
    if (type.getRank() != 4) // C1
      return report.error("expected '", name, "' of rank 4, got ", type.getRank());
    if (failed(checkElements(report, "query", query, name, type))) // C2
      return failure();
  }
  int64_t heads = query.getDimSize(1), groups = key.getDimSize(1);
  if (failed(checkShape(report, "key",
                        {query.getDimSize(0), groups, key.getDimSize(2), query.getDimSize(3)},
                        key.getShape())) || // C3
      failed(checkShape(report, "value",
                        {query.getDimSize(0), groups, key.getDimSize(2), value.getDimSize(3)},
                        value.getShape()))) // C3
    return failure();
  if (heads % groups) // C4
    return report.error("expected the key's ", groups, " heads to divide the query's ", heads);
  if (!mask)
    return success();
  if (failed(checkElements(report, "query", query, "mask", *mask))) // C2
    return failure();
  int64_t scores[] = {query.getDimSize(0), heads, query.getDimSize(2), key.getDimSize(2)};
  bool fits = mask->getRank() == 4;
  for (int64_t dim = 0; fits && dim < 4; ++dim)
    fits = mask->getDimSize(dim) == 1 || mask->getDimSize(dim) == scores[dim];
  if (!fits) // C5
    return report.error("expected 'mask' of rank 4 with sizes of 1 or of the scores, got ", *mask);
  return success();
}

} // namespace

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto query = asTensor(report, adaptor.getQuery().getType());
  auto key = asTensor(report, adaptor.getKey().getType());
  auto value = asTensor(report, adaptor.getValue().getType());
  if (failed(query) || failed(key) || failed(value))
    return failure();
  AttentionShapes shapes{*query, *key, *value, std::nullopt};
  if (Value given = adaptor.getMask()) {
    auto mask = asTensor(report, given.getType());
    if (failed(mask))
      return failure();
    shapes.mask = *mask;
  }
  if (failed(checkAttention(report, shapes))) // C1, C2, C3, C4, C5
    return failure();
  SmallVector<int64_t> result = shapes.ofResult();
  results.push_back(query->clone(result));
  results.push_back(
      RankedTensorType::get(ArrayRef(result).drop_back(), accumulatorOf(query->getElementType())));
  return success();
}

LogicalResult AttentionGradientOp::verify() {
  Reporter report = reporterOf(*this);
  AttentionShapes shapes{getQuery().getType(), getKey().getType(), getValue().getType(),
                         std::nullopt};
  if (getMask())
    shapes.mask = cast<RankedTensorType>(getMask().getType());
  if (failed(checkAttention(report, shapes))) // C1, C2, C3, C4, C5
    return failure();
  SmallVector<int64_t> result = shapes.ofResult();
  if (failed(checkShape(report, "result", result, getResult().getType().getShape())) || // C6
      failed(checkElements(report, "query", shapes.query, "result",
                           getResult().getType()))) // C2
    return failure();
  auto logSum = RankedTensorType::get(ArrayRef(result).drop_back(),
                                      accumulatorOf(shapes.query.getElementType()));
  if (failed(checkElements(report, "the sums of the query", logSum, "log_sum",
                           getLogSum().getType()))) // C7
    return failure();
  return checkShape(report, "log_sum", ArrayRef(result).drop_back(),
                    getLogSum().getType().getShape()); // C6
}

LogicalResult RotaryEmbeddingOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType input = getInput().getType();
  if (input.getRank() != 4) // C1
    return emitOpError() << "expected 'input' of rank 4, got " << input.getRank();
  if (input.getDimSize(3) % 2) // C2
    return emitOpError() << "expected an even width, got " << input.getDimSize(3);
  if (failed(checkElements(report, "input", input, "cosine", getCosine().getType()))) // C3
    return failure();
  SmallVector<int64_t> angles = {input.getDimSize(0), input.getDimSize(2), input.getDimSize(3) / 2};
  ArrayRef<int64_t> given = getCosine().getType().getShape();
  return checkShape(report, "cosine", ArrayRef(angles).drop_front(given.size() == 3 ? 0 : 1),
                    given); // C4
}
