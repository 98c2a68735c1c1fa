// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the larger of arithmetic and memory traffic, and adds one launch. A convolution counts as
// one matmul over its windows, whatever algorithm a library uses.

#include "runtime/machine/InstructionCost.h"

#include "runtime/abi/validate/OperandRanges.h"
#include "runtime/machine/Roofline.h"

#include <algorithm>

namespace pcc::machine {
namespace {

MatmulSize matmulOf(const abi::Matmul &m) {
  return {double(m.batch()), double(m.m()), double(m.n()), double(m.k())};
}

MatmulSize matmulOf(const abi::Convolution &c) {
  double pixels = double(c.result_shape(0)) * double(c.result_shape(2)) * double(c.result_shape(3));
  double outputs = double(c.weight_shape(0));
  double window = double(c.weight_shape(1)) * double(c.weight_shape(2)) * double(c.weight_shape(3));
  switch (c.kind()) {
  case abi::Convolution::INPUT_GRADIENT:
    return {1, pixels, window, outputs};
  case abi::Convolution::WEIGHT_GRADIENT:
    return {1, outputs, window, pixels};
  default:
    return {1, pixels, outputs, window};
  }
}

std::vector<MatmulSize> listMatmuls(const abi::Attention &a) {
  double queries = double(a.positions()), keys = double(a.key_positions());
  double heads = double(a.batch()) * double(a.heads());
  if (a.causal())
    heads *= causalShare(queries, keys);
  double width = double(a.width()), valueWidth = double(a.depth());
  MatmulSize scores{heads, queries, keys, width};
  if (!a.has_gradients())
    return {scores, {heads, queries, valueWidth, keys}};
  return {scores,
          {heads, keys, valueWidth, queries},
          {heads, queries, keys, valueWidth},
          {heads, queries, width, keys},
          {heads, keys, width, queries}};
}

/// Returns the seconds of the arithmetic alone, without memory traffic. Launches have no type;
/// their flops count at the rate of f32.
double secondsOfArithmetic(const abi::DeviceFigures &device, const abi::Instruction &instruction) {
  abi::ElementType type = abi::F32;
  if (instruction.has_matmul())
    type = instruction.matmul().type();
  if (instruction.has_convolution())
    type = instruction.convolution().type();
  if (instruction.has_attention())
    type = instruction.attention().type();
  double seconds = 0;
  for (const MatmulSize &matmul : matmulsOf(instruction))
    seconds += matmulSeconds(device, type, matmul);
  if (int64_t flops = instruction.launch().contraction_flops(); flops > 0)
    seconds += double(flops) / matmulRate(device, type);
  auto add = [&](abi::ComputeClass computeClass, int64_t flops) {
    if (flops > 0)
      seconds += double(flops) / computeRate(device, computeClass, type);
  };
  add(abi::ELEMENTWISE, instruction.accumulate().count());
  add(abi::ELEMENTWISE, instruction.launch().elementwise_flops());
  add(abi::REDUCTION, instruction.launch().reduction_flops());
  return seconds;
}

} // namespace

std::vector<MatmulSize> matmulsOf(const abi::Instruction &instruction) {
  if (instruction.has_matmul())
    return {matmulOf(instruction.matmul())};
  if (instruction.has_convolution())
    return {matmulOf(instruction.convolution())};
  if (instruction.has_attention())
    return listMatmuls(instruction.attention());
  return {};
}

double movedBytes(const abi::Executable &executable, const abi::Program &program,
                  const abi::Instruction &instruction, bool isFirst) {
  double bytes = 0;
  for (const abi::OperandRange &range : abi::operandRanges(executable, program, instruction)) {
    bool reads =
        range.reads != abi::Reads::No && !(range.reads == abi::Reads::AfterFirst && isFirst);
    bytes += double(range.bytes) * (int(reads) + int(range.writes));
  }
  return std::max(0.0, bytes - double(instruction.launch().untouched_bytes()));
}

double estimateInstructionCost(const abi::DeviceFigures &device, const abi::Executable &executable,
                               const abi::Program &program, const abi::Instruction &instruction,
                               bool isFirst) {
  double moving = movedBytes(executable, program, instruction, isFirst) / memoryRate(device);
  return device.launch_seconds().value() +
         std::max(secondsOfArithmetic(device, instruction), moving);
}

} // namespace pcc::machine
