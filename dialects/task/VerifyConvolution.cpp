// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the buffers and windows of a convolution.
#include "dialects/task/Task.h"

using namespace mlir;
using namespace pcc::task;

/// Returns whether `result` is the number of windows of `size` along a dimension of `input`
/// elements, with `padding` in all.
static bool isResultSize(int64_t input, int64_t size, int64_t result, int64_t stride,
                         int64_t padding, int64_t dilation) {
  return input + padding >= (size - 1) * dilation + 1 &&
         result == (input + padding - (size - 1) * dilation - 1) / stride + 1;
}

// Law T13 of docs/spec/task.md: the buffers' shapes are those of a convolution with these windows.
LogicalResult ConvolutionOp::verify() {
  auto shapeOf = [](Value buffer) { return cast<ShapedType>(buffer.getType()).getShape(); };
  ArrayRef<int64_t> input = shapeOf(getInput()), weight = shapeOf(getWeight()),
                    result = shapeOf(getResult());
  if (input.size() != 4 || weight.size() != 4 || result.size() != 4)
    return emitOpError() << "expected buffers of rank 4, got " << input.size() << ", "
                         << weight.size() << " and " << result.size();
  auto isBelow = [](int64_t least, ArrayRef<int64_t> values) {
    return llvm::any_of(values, [&](int64_t value) { return value < least; });
  };
  if (getStrides().size() != 2 || getPadding().size() != 4 || getDilations().size() != 2 ||
      isBelow(1, getStrides()) || isBelow(0, getPadding()) || isBelow(1, getDilations()))
    return emitOpError() << "expected 2 strides of at least 1, 4 paddings of at least 0 and 2 "
                            "dilations of at least 1, got ["
                         << getStrides() << "], [" << getPadding() << "] and [" << getDilations()
                         << "]";
  bool hasGroups = weight[1] > 0 && input[1] >= weight[1] && input[1] % weight[1] == 0 &&
                   weight[0] % (input[1] / weight[1]) == 0;
  bool fits = input[0] == result[0] && weight[0] == result[1] && hasGroups;
  for (unsigned dim : {0, 1})
    fits &= isResultSize(input[dim + 2], weight[dim + 2], result[dim + 2], getStrides()[dim],
                         getPadding()[dim] + getPadding()[dim + 2], getDilations()[dim]);
  if (!fits)
    return emitOpError() << "expected shapes of a convolution, got [" << input << "], [" << weight
                         << "] and [" << result << "]";
  if (getActivation() != Activation::None && getActivation() != Activation::Relu)
    return emitOpError() << "expected activation none or relu, got "
                         << stringifyActivation(getActivation());
  if (getBias() && cast<ShapedType>(getBias().getType()).getNumElements() != weight[0])
    return emitOpError() << "expected a bias of " << weight[0] << " elements, got "
                         << cast<ShapedType>(getBias().getType()).getNumElements();
  return success();
}
