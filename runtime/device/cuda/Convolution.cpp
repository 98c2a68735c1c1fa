// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs convolutions and their gradients with cuDNN if the library is available and has a plan,
// otherwise with
//
//   pcc_convolution_T, pcc_convolution_input_T, pcc_convolution_weight_T
//     (T *input, T *weight, T *result, T *bias, 16 sizes, i64 flags)
//
// which write the result, the input, or the weight. A missing bias is
// passed as null. The sizes are
//
//   input      batch, channels, rows, columns
//   weight     outputs, channels of a group, rows, columns
//   result     rows, columns
//   others     strides, padding at the top and at the left, dilations

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/SupportKernels.h"
#include "runtime/device/cuda/Call.h"
#include "runtime/device/cuda/Instructions.h"
#include "runtime/device/cuda/library/CudnnInstructions.h"

namespace pcc::runtime::cuda {
namespace {

/// The shape that a kind of convolution writes, and the suffix of its function's name.
struct Written {
  const google::protobuf::RepeatedField<int64_t> &shape;
  const char *name;
};

Written writtenBy(const abi::Convolution &convolution) {
  switch (convolution.kind()) {
  case abi::Convolution::INPUT_GRADIENT:
    return {convolution.input_shape(), "_input"};
  case abi::Convolution::WEIGHT_GRADIENT:
    return {convolution.weight_shape(), "_weight"};
  default:
    return {convolution.result_shape(), ""};
  }
}

std::vector<int64_t> numbersOf(const abi::Convolution &convolution) {
  using Flag = abi::ConvolutionFlag;
  std::vector<int64_t> numbers(convolution.input_shape().begin(), convolution.input_shape().end());
  numbers.insert(numbers.end(), convolution.weight_shape().begin(),
                 convolution.weight_shape().end());
  for (int dim : {2, 3})
    numbers.push_back(convolution.result_shape(dim));
  for (const auto *pair :
       {&convolution.strides(), &convolution.padding(), &convolution.dilations()})
    numbers.insert(numbers.end(), {pair->Get(0), pair->Get(1)});
  numbers.push_back((convolution.activation() == abi::RELU) * Flag::relu +
                    convolution.has_bias() * Flag::hasBias);
  return numbers;
}

} // namespace

Expected<PreparedPointer> prepareConvolution(const abi::Instruction &instruction,
                                             const PrepareContext &context, RankParts parts) {
  if (PreparedPointer byLibrary = parts.cudnn.prepare(instruction, context, parts.stream))
    return byLibrary;
  const abi::Convolution &convolution = instruction.convolution();
  Written written = writtenBy(convolution);
  Expected<FunctionHandle> function = parts.code.support(
      fmt::format("pcc_convolution{}_{}", written.name, abi::elementName(convolution.type())));
  if (!function)
    return function.status();
  auto address = [&](const abi::Operand &operand) {
    return context.memory.address(context.program, operand);
  };
  std::vector<Call> calls;
  calls.emplace_back(*function, abi::numElementBlocks(*abi::elementCount(written.shape)),
                     abi::supportThreads,
                     std::vector{address(convolution.input()), address(convolution.weight()),
                                 address(convolution.result()),
                                 convolution.has_bias() ? address(convolution.bias()) : nullptr},
                     numbersOf(convolution));
  return prepareCalls(instruction, std::move(calls), parts.stream);
}

} // namespace pcc::runtime::cuda
