// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result shapes and checks of convolutions and pooling; labels as in docs/spec/graph.md.
#include "dialects/graph/Window.h"
#include "dialects/graph/verify/Checks.h"

using namespace mlir;
using namespace pcc::graph;

namespace {

LogicalResult checkNumbers(const Reporter &report, StringRef name, ArrayRef<int64_t> values,
                           size_t count, int64_t least) {
  if (values.size() != count) // C1
    return report.error("expected ", count, " numbers in '", name, "', got ", values.size());
  for (int64_t value : values)
    if (value < least || value > maxWindow) // C2
      return report.error("expected '", name, "' in [", least, ", ", maxWindow, "], got ", value);
  return success();
}

LogicalResult checkWindow(const Reporter &report, const Window &window) {
  if (failed(checkNumbers(report, "window", window.sizes, 2, 1)) ||      // C1, C2
      failed(checkNumbers(report, "strides", window.strides, 2, 1)) ||   // C1, C2
      failed(checkNumbers(report, "padding", window.padding, 4, 0)) ||   // C1, C2
      failed(checkNumbers(report, "dilations", window.dilations, 2, 1))) // C1, C2
    return failure();
  return success();
}

LogicalResult checkImage(const Reporter &report, StringRef name, RankedTensorType type) {
  if (type.getRank() == 4) // C3
    return success();
  return report.error("expected '", name, "' of rank 4, got ", type.getRank());
}

/// Returns the rows and columns of the result of moving `window` over an image; there is at least
/// one of each.
FailureOr<SmallVector<int64_t>> inferImage(const Reporter &report, ArrayRef<int64_t> image,
                                           const Window &window) {
  SmallVector<int64_t> result;
  for (unsigned dim : {0, 1}) {
    int64_t size = window.getResultSize(dim, image[dim]);
    if (size < 1) // C4
      return report.error("expected windows of ", window.getExtent(dim), " in dimension ", dim + 2,
                          " not to be larger than ", image[dim], " with padding");
    result.push_back(size);
  }
  return result;
}

/// Returns the shape of a convolution's result.
FailureOr<SmallVector<int64_t>> inferConvolution(const Reporter &report, RankedTensorType input,
                                                 RankedTensorType weight, Window window) {
  if (failed(checkElements(report, "input", input, "weight", weight)) || // C5
      failed(checkImage(report, "input", input)) ||                      // C3
      failed(checkImage(report, "weight", weight)))                      // C3
    return failure();
  window.sizes = weight.getShape().drop_front(2);
  if (failed(checkWindow(report, window))) // C1, C2
    return failure();
  int64_t channels = input.getDimSize(1), perGroup = weight.getDimSize(1);
  int64_t outputs = weight.getDimSize(0);
  if (channels % perGroup) // C6
    return report.error("expected the weight's ", perGroup,
                        " input channels to divide the input's ", channels);
  if (outputs % (channels / perGroup)) // C7
    return report.error("expected ", channels / perGroup, " groups to divide ", outputs,
                        " output channels");
  auto image = inferImage(report, input.getShape().drop_front(2), window);
  if (failed(image))
    return failure();
  image->insert(image->begin(), {input.getDimSize(0), outputs});
  return image;
}

/// Returns the window as an op's inference sees it.
template <typename Adaptor> Window windowOf(Adaptor adaptor) {
  auto numbers = [&](DenseI64ArrayAttr property, StringRef name, ArrayRef<int64_t> otherwise) {
    DenseI64ArrayAttr attr = getAttr(adaptor, property, name);
    return attr ? attr.asArrayRef() : otherwise;
  };
  static constexpr int64_t ones[] = {1, 1}, zeros[] = {0, 0, 0, 0};
  return {{},
          numbers(adaptor.getStridesAttr(), "strides", ones),
          numbers(adaptor.getPaddingAttr(), "padding", zeros),
          numbers(adaptor.getDilationsAttr(), "dilations", ones)};
}

/// Returns the shape of pooling's result.
FailureOr<SmallVector<int64_t>> inferPooled(const Reporter &report, RankedTensorType input,
                                            const Window &window) {
  if (failed(checkImage(report, "input", input)) || // C3
      failed(checkWindow(report, window)))          // C1, C2
    return failure();
  for (unsigned dim : {0, 1})
    if (std::max(window.getLow(dim), window.getHigh(dim)) >= window.getExtent(dim)) // C5
      return report.error("expected 'padding' below the window's extent of ", window.getExtent(dim),
                          " in dimension ", dim + 2, ", got ",
                          std::max(window.getLow(dim), window.getHigh(dim)));
  auto shape = inferImage(report, input.getShape().drop_front(2), window);
  if (succeeded(shape))
    shape->insert(shape->begin(), {input.getDimSize(0), input.getDimSize(1)});
  return shape;
}

template <typename Adaptor>
LogicalResult inferPool(StringRef opName, std::optional<Location> location, Adaptor adaptor,
                        SmallVectorImpl<Type> &results) {
  Reporter report{location, opName};
  auto input = asTensor(report, adaptor.getInput().getType());
  if (failed(input))
    return failure();
  Window window = windowOf(adaptor);
  if (DenseI64ArrayAttr sizes = getAttr(adaptor, adaptor.getWindowAttr(), "window"))
    window.sizes = sizes.asArrayRef();
  auto shape = inferPooled(report, *input, window);
  if (failed(shape))
    return failure();
  results.push_back(input->clone(*shape));
  return success();
}

} // namespace

LogicalResult Conv2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto input = asTensor(report, adaptor.getInput().getType());
  auto weight = asTensor(report, adaptor.getWeight().getType());
  if (failed(input) || failed(weight))
    return failure();
  auto shape = inferConvolution(report, *input, *weight, windowOf(adaptor));
  if (failed(shape))
    return failure();
  results.push_back(input->clone(*shape));
  return success();
}

/// Checks that `gradient` has the shape of the result of a convolution of `input` by `weight`.
template <typename Op>
static LogicalResult checkGradient(Op op, RankedTensorType input, RankedTensorType weight,
                                   RankedTensorType gradient) {
  Reporter report = reporterOf(op);
  Window window{{}, op.getStrides(), op.getPadding(), op.getDilations()};
  auto shape = inferConvolution(report, input, weight, window);
  if (failed(shape) || failed(checkShape(report, "gradient", *shape, gradient.getShape()))) // C8
    return failure();
  return checkElements(report, "gradient", gradient, "weight", weight); // C5
}

LogicalResult Conv2dInputGradientOp::verify() {
  return checkGradient(*this, getResult().getType(), getWeight().getType(),
                       getGradient().getType());
}

LogicalResult Conv2dWeightGradientOp::verify() {
  return checkGradient(*this, getInput().getType(), getResult().getType(), getGradient().getType());
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &results) {
  return inferPool(getOperationName(), location, adaptor, results);
}

LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &results) {
  return inferPool(getOperationName(), location, adaptor, results);
}

LogicalResult MaxPoolGradientOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType input = getInput().getType(), gradient = getGradient().getType();
  auto shape = inferPooled(report, input, Window::of(*this));
  if (failed(shape) || failed(checkShape(report, "gradient", *shape, gradient.getShape()))) // C6
    return failure();
  return checkElements(report, "input", input, "gradient", gradient); // C7
}
