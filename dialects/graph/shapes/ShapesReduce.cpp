// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result shapes of comparisons, of reductions, and of other ops that read all elements along an
// axis.
#include "dialects/graph/verify/Checks.h"

using namespace mlir;
using namespace pcc::graph;

LogicalResult CompareOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  results.push_back(boolTensorLike(adaptor.getLhs().getType()));
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto input = asTensor(report, adaptor.getInput().getType());
  if (failed(input))
    return failure();
  int64_t previous = -1;
  for (int64_t dim : adaptor.getDims()) {
    if (dim < 0 || dim >= input->getRank()) // C1
      return report.error("expected 'dims' in [0, ", input->getRank(), "), got ", dim);
    if (dim <= previous) // C2
      return report.error("expected 'dims' in ascending order, got ", dim, " after ", previous);
    previous = dim;
  }
  if (adaptor.getKind() == ReduceOpKind::Mean && !isa<FloatType>(input->getElementType())) // C3
    return report.error("expected floating-point elements for 'mean', got ",
                        input->getElementType(), "; cast first");
  bool findsExtremum =
      llvm::is_contained({ReduceOpKind::Max, ReduceOpKind::Min}, adaptor.getKind());
  bool firstWins = bool(getAttr(adaptor, adaptor.getFirstWinsAttr(), "first_wins"));
  if (firstWins && !(findsExtremum && adaptor.getDims().size() == 1)) // C4
    return report.error("expected 'first_wins' for 'max' or 'min' along one dimension");
  SmallVector<int64_t> shape;
  for (auto [index, size] : llvm::enumerate(input->getShape()))
    if (!llvm::is_contained(adaptor.getDims(), int64_t(index)))
      shape.push_back(size);
  results.push_back(input->clone(shape));
  return success();
}

template <typename Adaptor>
static LogicalResult inferArg(StringRef opName, std::optional<Location> location, Adaptor adaptor,
                              SmallVectorImpl<Type> &results) {
  Reporter report{location, opName};
  auto input = asTensor(report, adaptor.getInput().getType());
  IntegerAttr axis = getAttr(adaptor, adaptor.getAxisAttr(), "axis");
  if (failed(input) || failed(checkAxis(report, axis.getInt(), input->getRank()))) // C1
    return failure();
  SmallVector<int64_t> shape(input->getShape());
  shape.erase(shape.begin() + axis.getInt());
  results.push_back(i64TensorLike(input->clone(shape)));
  return success();
}

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  return inferArg(getOperationName(), location, adaptor, results);
}

LogicalResult ArgminOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  return inferArg(getOperationName(), location, adaptor, results);
}

LogicalResult CumsumOp::verify() {
  return checkAxis(reporterOf(*this), getAxis(), getInput().getType().getRank()); // C1
}

LogicalResult TopKOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType input = getInput().getType(), values = getValues().getType();
  if (failed(checkAxis(report, getAxis(), input.getRank())) ||             // C1
      failed(checkElements(report, "input", input, "values", values)) ||   // C2
      failed(checkSameButAxis(report, "input", input.getShape(), "values", // C3
                              values.getShape(), getAxis())))
    return failure();
  if (values.getDimSize(getAxis()) > input.getDimSize(getAxis())) // C4
    return emitOpError() << "expected at most " << input.getDimSize(getAxis())
                         << " elements along 'axis', got " << values.getDimSize(getAxis());
  return success();
}
