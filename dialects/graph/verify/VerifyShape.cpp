// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of shape ops whose result type is written out; labels as in docs/spec/graph.md.
#include "dialects/graph/verify/Checks.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace pcc::graph;

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  if (failed(checkElements(reporterOf(*this), "input", from, "result", to))) // C1
    return failure();
  if (from.getNumElements() != to.getNumElements()) // C2
    return emitOpError() << "expected as many elements after as before, got " << to.getNumElements()
                         << " from " << from.getNumElements();
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  if (failed(checkElements(reporterOf(*this), "input", from, "result", to))) // C1
    return failure();
  if (int64_t(getDims().size()) != from.getRank()) // C2
    return emitOpError() << "expected one of 'dims' for each of the " << from.getRank()
                         << " input dimensions, got " << getDims().size();
  int64_t previous = -1;
  for (auto [index, dim] : llvm::enumerate(getDims())) {
    if (dim < 0 || dim >= to.getRank()) // C3
      return emitOpError() << "expected 'dims' in [0, " << to.getRank() << "), got " << dim;
    if (dim <= previous) // C4
      return emitOpError() << "expected 'dims' in ascending order, got " << dim << " after "
                           << previous;
    int64_t size = from.getDimSize(index);
    if (size != 1 && size != to.getDimSize(dim)) // C5
      return emitOpError() << "expected input dimension " << index << " of size 1 or "
                           << to.getDimSize(dim) << ", got " << size;
    previous = dim;
  }
  return success();
}

/// Checks slices, their dynamic form, and updates: the axis exists, and the shapes of the whole and
/// the part agree in all other dimensions, with equal element types.
static LogicalResult checkSlice(Operation *op, int64_t axis, StringRef wholeName,
                                RankedTensorType whole, StringRef partName, RankedTensorType part) {
  Reporter report = reporterOf(op);
  if (failed(checkElements(report, wholeName, whole, partName, part)) || // C1
      failed(checkAxis(report, axis, whole.getRank())))                  // C2
    return failure();
  return checkSameButAxis(report, wholeName, whole.getShape(), partName, part.getShape(),
                          axis); // C3
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  int64_t axis = getAxis(), start = getStart();
  if (failed(checkSlice(*this, axis, "input", from, "result", to))) // C1, C2, C3
    return failure();
  if (getStride() == 0) // C4
    return emitOpError() << "expected a 'stride' other than 0";
  std::optional<int64_t> last = llvm::checkedMulAdd(to.getDimSize(axis) - 1, getStride(), start);
  int64_t size = from.getDimSize(axis);
  if (start < 0 || start >= size || !last || *last < 0 || *last >= size) // C5
    return emitOpError() << "expected " << to.getDimSize(axis) << " elements from " << start
                         << " by " << getStride() << " to lie in [0, " << size << ")";
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  if (failed(checkSlice(*this, getAxis(), "input", from, "result", to))) // C1, C2, C3
    return failure();
  if (to.getDimSize(getAxis()) > from.getDimSize(getAxis())) // C4
    return emitOpError() << "expected at most " << from.getDimSize(getAxis())
                         << " elements along 'axis', got " << to.getDimSize(getAxis());
  return success();
}

LogicalResult DynamicUpdateSliceOp::verify() {
  RankedTensorType whole = getInput().getType(), part = getUpdate().getType();
  if (failed(checkSlice(*this, getAxis(), "input", whole, "update", part))) // C1, C2, C3
    return failure();
  if (part.getDimSize(getAxis()) > whole.getDimSize(getAxis())) // C4
    return emitOpError() << "expected at most " << whole.getDimSize(getAxis())
                         << " elements along 'axis', got " << part.getDimSize(getAxis());
  return success();
}

LogicalResult SplitOp::verify() {
  if (getResults().empty()) // C4
    return emitOpError() << "expected at least one result";
  RankedTensorType whole = getInput().getType();
  int64_t sum = 0;
  for (auto [index, result] : llvm::enumerate(getResults())) {
    auto part = cast<RankedTensorType>(result.getType());
    std::string name = "result #" + std::to_string(index);
    if (failed(checkSlice(*this, getAxis(), "input", whole, name, part))) // C1, C2, C3
      return failure();
    sum += part.getDimSize(getAxis());
  }
  if (sum != whole.getDimSize(getAxis())) // C5
    return emitOpError() << "expected pieces of " << whole.getDimSize(getAxis())
                         << " elements in all along 'axis', got " << sum;
  return success();
}

LogicalResult ScatterAddOp::verify() {
  RankedTensorType input = getInput().getType(), updates = getUpdates().getType();
  Reporter report = reporterOf(*this);
  if (failed(checkElements(report, "input", input, "updates", updates)) || // C1
      failed(checkAxis(report, getAxis(), input.getRank())))               // C2
    return failure();
  SmallVector<int64_t> shape(input.getShape().take_front(getAxis()));
  llvm::append_range(shape, getIndices().getType().getShape());
  llvm::append_range(shape, input.getShape().drop_front(getAxis() + 1));
  return checkShape(report, "updates", shape, updates.getShape()); // C3
}

LogicalResult OneHotOp::verify() {
  RankedTensorType result = getResult().getType();
  Reporter report = reporterOf(*this);
  if (failed(checkAxis(report, getAxis(), result.getRank()))) // C1
    return failure();
  SmallVector<int64_t> shape(result.getShape());
  shape.erase(shape.begin() + getAxis());
  return checkShape(report, "indices", shape, getIndices().getType().getShape()); // C2
}
