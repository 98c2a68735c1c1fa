// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result shapes of transpose, pad, concat and gather.
#include "dialects/graph/verify/Checks.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace pcc::graph;

LogicalResult pcc::graph::checkSameButAxis(const Reporter &report, StringRef leftName,
                                           ArrayRef<int64_t> left, StringRef rightName,
                                           ArrayRef<int64_t> right, int64_t axis) {
  if (left.size() != right.size())
    return report.error("expected '", rightName, "' of rank ", left.size(), ", got ", right.size());
  for (auto [index, leftSize, rightSize] : llvm::enumerate(left, right))
    if (int64_t(index) != axis && leftSize != rightSize)
      return report.error("expected equal sizes of dimension ", index, ", got ", leftSize, " in '",
                          leftName, "' and ", rightSize, " in '", rightName, "'");
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto input = asTensor(report, adaptor.getInput().getType());
  if (failed(input))
    return failure();
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (int64_t(permutation.size()) != input->getRank()) // C1
    return report.error("expected a permutation of ", input->getRank(), " dimensions, got ",
                        permutation.size());
  SmallVector<bool> seen(permutation.size());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= input->getRank() || seen[dim]) // C2
      return report.error("expected each of 0 to ", input->getRank() - 1,
                          " once in 'permutation', got ", dim,
                          dim < 0 || dim >= input->getRank() ? "" : " twice");
    seen[dim] = true;
    shape.push_back(input->getDimSize(dim));
  }
  results.push_back(input->clone(shape));
  return success();
}

/// Returns whether a float type can round `value`, or an integer type holds it.
static bool isNumberOf(Type element, double value) {
  if (isa<FloatType>(element))
    return true;
  unsigned width = element.getIntOrFloatBitWidth();
  APSInt number(width, /*isUnsigned=*/width == 1 || element.isUnsignedInteger());
  bool isExact; // false for -0, which an integer type holds as 0
  return APFloat(value).convertToInteger(number, APFloat::rmTowardZero, &isExact) == APFloat::opOK;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto input = asTensor(report, adaptor.getInput().getType());
  if (failed(input))
    return failure();
  int64_t axis = adaptor.getAxis();
  if (failed(checkAxis(report, axis, input->getRank()))) // C1
    return failure();
  SmallVector<int64_t> shape(input->getShape());
  std::optional<int64_t> size = llvm::checkedAdd<int64_t>(shape[axis], adaptor.getLow());
  if (size)
    size = llvm::checkedAdd<int64_t>(*size, adaptor.getHigh());
  if (!size || *size < 1 || *size > maxElements) // C2
    return report.error("expected a padded size in [1, ", maxElements, "], got ", shape[axis],
                        " with ", adaptor.getLow(), " before and ", adaptor.getHigh(), " after");
  FloatAttr value = getAttr(adaptor, adaptor.getValueAttr(), "value");
  if (value && !isNumberOf(input->getElementType(), value.getValueAsDouble())) // C3
    return report.error("expected 'value' to be one of ", input->getElementType(), ", got ",
                        value.getValueAsDouble());
  shape[axis] = *size;
  results.push_back(input->clone(shape));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  if (adaptor.getInputs().empty()) // C1
    return report.error("expected at least one input");
  auto first = asTensor(report, adaptor.getInputs().front().getType());
  if (failed(first))
    return failure();
  int64_t axis = adaptor.getAxis();
  if (failed(checkAxis(report, axis, first->getRank()))) // C2
    return failure();
  SmallVector<int64_t> shape(first->getShape());
  for (auto [index, value] : llvm::enumerate(adaptor.getInputs().drop_front())) {
    std::string name = "input #" + std::to_string(index + 1);
    auto input = asTensor(report, value.getType());
    if (failed(input) || failed(checkElements(report, "input #0", *first, name, *input)) || // C3
        failed(checkSameButAxis(report, "input #0", first->getShape(), name, input->getShape(),
                                axis))) // C4
      return failure();
    shape[axis] += input->getDimSize(axis);
  }
  results.push_back(first->clone(shape));
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto input = asTensor(report, adaptor.getInput().getType());
  auto indices = asTensor(report, adaptor.getIndices().getType());
  if (failed(input) || failed(indices) ||
      failed(checkAxis(report, adaptor.getAxis(), input->getRank()))) // C1
    return failure();
  IntegerAttr padding = getAttr(adaptor, adaptor.getPaddingIndexAttr(), "padding_index");
  int64_t size = input->getDimSize(adaptor.getAxis());
  if (padding && (padding.getInt() < 0 || padding.getInt() >= size)) // C2
    return report.error("expected 'padding_index' in [0, ", size, "), got ", padding.getInt());
  if (failed(checkRange(report, "padding_index", padding, *indices))) // C3
    return failure();
  SmallVector<int64_t> shape(input->getShape().take_front(adaptor.getAxis()));
  llvm::append_range(shape, indices->getShape());
  llvm::append_range(shape, input->getShape().drop_front(adaptor.getAxis() + 1));
  results.push_back(input->clone(shape));
  return success();
}
