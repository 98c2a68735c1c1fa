// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result shapes and checks of losses; labels as in docs/spec/graph.md.
#include "dialects/graph/verify/Checks.h"

using namespace mlir;
using namespace pcc::graph;

/// Returns the type of one element of `type`, as a tensor of rank 0.
static Type scalarLike(Type type) { return RankedTensorType::get({}, getElementTypeOrSelf(type)); }

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
  if (failed(checkRange(report, "ignore_index", ignored, *labels))) // C5
    return failure();
  results.push_back(scalarLike(*logits));
  return success();
}

LogicalResult NllOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto input = asTensor(report, adaptor.getLogProbabilities().getType());
  auto labels = asTensor(report, adaptor.getLabels().getType());
  if (failed(input) || failed(labels))
    return failure();
  if (input->getRank() < 1) // C1
    return report.error("expected 'log_probabilities' of rank 1 or more, got 0");
  if (failed(checkShape(report, "labels", input->getShape().drop_back(), labels->getShape()))) // C2
    return failure();
  IntegerAttr ignored = getAttr(adaptor, adaptor.getIgnoreIndexAttr(), "ignore_index");
  if (failed(checkRange(report, "ignore_index", ignored, *labels))) // C3
    return failure();
  results.push_back(scalarLike(*input));
  return success();
}

LogicalResult MseOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  results.push_back(scalarLike(adaptor.getPrediction().getType()));
  return success();
}

LogicalResult SigmoidCrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                      Adaptor adaptor,
                                                      SmallVectorImpl<Type> &results) {
  results.push_back(scalarLike(adaptor.getPrediction().getType()));
  return success();
}
