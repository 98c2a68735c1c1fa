// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result shapes of comparisons, reductions and losses, and the checks of normal forms.
#include "dialects/graph/Checks.h"

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
  SmallVector<int64_t> shape;
  for (auto [index, size] : llvm::enumerate(input->getShape()))
    if (!llvm::is_contained(adaptor.getDims(), int64_t(index)))
      shape.push_back(size);
  results.push_back(input->clone(shape));
  return success();
}

LogicalResult SoftmaxOp::verify() {
  return checkAxis(reporterOf(*this), getAxis(), getInput().getType().getRank()); // C1
}

LogicalResult SoftmaxCrossEntropyOp::inferReturnTypes(MLIRContext *,
                                                      std::optional<Location> location,
                                                      Adaptor adaptor,
                                                      SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto logits = asTensor(report, adaptor.getLogits().getType());
  auto labels = asTensor(report, adaptor.getLabels().getType());
  if (failed(logits) || failed(labels))
    return failure();
  if (logits->getRank() < 1) // C1
    return report.error("expected 'logits' of rank 1 or more, got 0");
  bool dense = isa<FloatType>(labels->getElementType());
  ArrayRef<int64_t> shape = logits->getShape();
  if (failed(checkShape(report, "labels", dense ? shape : shape.drop_back(),
                        labels->getShape()))) // C2
    return failure();
  if (dense && failed(checkElements(report, "logits", *logits, "labels", *labels))) // C3
    return failure();
  IntegerAttr ignored = getAttr(adaptor, adaptor.getIgnoreIndexAttr(), "ignore_index");
  if (dense && ignored) // C4
    return report.error("expected labels that are class numbers beside 'ignore_index', got ",
                        labels->getElementType(), " probabilities");
  if (ignored && !llvm::isIntN(labels->getElementTypeBitWidth(), ignored.getInt())) // C5
    return report.error("expected 'ignore_index' to be one of ", labels->getElementType(), ", got ",
                        ignored.getInt());
  results.push_back(RankedTensorType::get({}, logits->getElementType()));
  return success();
}
