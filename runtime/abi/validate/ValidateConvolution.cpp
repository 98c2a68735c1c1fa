// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of convolutions: consistent sizes, operands within their buffers.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/validate/Checker.h"

#include <algorithm>

namespace pcc::abi {
namespace {

/// Bounds that keep products of two such numbers and short sums of products from overflowing.
constexpr int64_t maxWindow = int64_t(1) << 24, maxSize = int64_t(1) << 31;

template <typename List> bool isList(const List &list, int count, int64_t least, int64_t most) {
  return list.size() == count && std::all_of(list.begin(), list.end(), [&](int64_t value) {
           return value >= least && value < most;
         });
}

/// Whether the number of window positions in the padded input equals the result's rows (or
/// columns).
bool fits(const Convolution &c, int dim) {
  int64_t extent = (c.weight_shape(dim + 2) - 1) * c.dilations(dim) + 1;
  int64_t room = c.input_shape(dim + 2) + c.padding(dim) + c.padding(dim + 2) - extent;
  return room >= 0 && c.result_shape(dim + 2) == room / c.strides(dim) + 1;
}

bool haveShapes(const Convolution &c) {
  int64_t channels = c.input_shape(1), perGroup = c.weight_shape(1), outputs = c.weight_shape(0);
  return c.input_shape(0) == c.result_shape(0) && outputs == c.result_shape(1) &&
         channels % perGroup == 0 && outputs % (channels / perGroup) == 0 && fits(c, 0) &&
         fits(c, 1);
}

void checkOperands(const OperandChecks &operands, const Convolution &c) {
  uint64_t element = elementBytes(c.type());
  auto bytesOf = [&](const auto &shape) {
    std::optional<int64_t> count = elementCount(shape);
    return isSize(count) ? *count * element : ~uint64_t(0);
  };
  uint64_t input = bytesOf(c.input_shape()), weight = bytesOf(c.weight_shape()),
           result = bytesOf(c.result_shape());
  operands.room("input", c.input(), input, element, c.kind() == Convolution::INPUT_GRADIENT);
  operands.room("weight", c.weight(), weight, element, c.kind() == Convolution::WEIGHT_GRADIENT);
  operands.room("result", c.result(), result, element, c.kind() == Convolution::FORWARD);
  if (c.has_bias())
    operands.room("bias", c.bias(), c.weight_shape(0) * element, element, false);
  if (!operands.checker.ok())
    return;
  if (c.kind() != Convolution::WEIGHT_GRADIENT)
    operands.overlap(c.input(), input, c.result(), result, false);
  if (c.kind() != Convolution::INPUT_GRADIENT)
    operands.overlap(c.weight(), weight, c.result(), result, false);
  if (c.kind() != Convolution::FORWARD)
    operands.overlap(c.input(), input, c.weight(), weight, false);
}

} // namespace

void checkConvolution(const OperandChecks &operands, const Convolution &convolution) {
  Checker &checker = operands.checker;
  Checker::Scope scope(checker, "convolution");
  bool isForward = convolution.kind() == Convolution::FORWARD;
  checker.expect(isForward || convolution.kind() == Convolution::INPUT_GRADIENT ||
                     convolution.kind() == Convolution::WEIGHT_GRADIENT,
                 "kind: expected a kind, got {}", static_cast<int>(convolution.kind()));
  checker.expect(convolution.activation() == ACTIVATION_NONE || convolution.activation() == RELU,
                 "activation: expected none or relu, got {}",
                 static_cast<int>(convolution.activation()));
  checker.expect(isForward ||
                     (!convolution.has_bias() && convolution.activation() == ACTIVATION_NONE),
                 "expected no bias and no activation in a gradient");
  ElementType type = convolution.type();
  checker.expect(type == F32 || type == F16 || type == BF16,
                 "type: expected f32, f16 or bf16, got {}", elementName(type));
  checker.expect(isList(convolution.input_shape(), 4, 1, maxSize) &&
                     isList(convolution.weight_shape(), 4, 1, maxWindow) &&
                     isList(convolution.result_shape(), 4, 1, maxSize),
                 "expected shapes of 4 sizes from 1 on");
  checker.expect(isList(convolution.strides(), 2, 1, maxWindow) &&
                     isList(convolution.padding(), 4, 0, maxWindow) &&
                     isList(convolution.dilations(), 2, 1, maxWindow),
                 "expected 2 strides and dilations from 1 on and 4 paddings from 0 on");
  if (checker.ok() && checker.expect(haveShapes(convolution),
                                     "expected the shapes of a convolution with its windows"))
    checkOperands(operands, convolution);
}

} // namespace pcc::abi
