// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/machine/RecordPrice.h"

#include "runtime/abi/OperandRanges.h"
#include "runtime/machine/Roofline.h"

#include <algorithm>

namespace pcc::machine {
namespace {

Product productOf(const abi::Matmul &m) {
  return {double(m.batch()), double(m.m()), double(m.n()), double(m.k())};
}

Product productOf(const abi::Convolution &c) {
  double pixels = double(c.result_shape(0)) * double(c.result_shape(2)) * double(c.result_shape(3));
  double outputs = double(c.weight_shape(0));
  double window = double(c.weight_shape(1)) * double(c.weight_shape(2)) * double(c.weight_shape(3));
  switch (c.kind()) {
  case abi::Convolution::INPUT_GRADIENT:
    return {1, double(c.input_shape(0)) * double(c.input_shape(2)) * double(c.input_shape(3)),
            window, outputs};
  case abi::Convolution::WEIGHT_GRADIENT:
    return {1, outputs, window, pixels};
  default:
    return {1, pixels, outputs, window};
  }
}

std::vector<Product> listProducts(const abi::Attention &a) {
  double heads = double(a.batch()) * double(a.heads()) / (a.causal() ? 2 : 1);
  double queries = double(a.positions()), keys = double(a.key_positions());
  double width = double(a.width()), depth = double(a.depth());
  Product scores{heads, queries, keys, width};
  if (!a.has_gradients())
    return {scores, {heads, queries, depth, keys}};
  return {scores,
          {heads, keys, depth, queries},
          {heads, queries, keys, depth},
          {heads, queries, width, keys},
          {heads, keys, width, queries}};
}

/// Returns the seconds of the arithmetic alone, without memory traffic.
double secondsOfArithmetic(const abi::DeviceFigures &device, const abi::Record &record) {
  abi::ElementType type = abi::F32;
  if (record.has_matmul())
    type = record.matmul().type();
  if (record.has_convolution())
    type = record.convolution().type();
  if (record.has_attention())
    type = record.attention().type();
  double seconds = 0;
  for (const Product &product : productsOf(record))
    seconds += productSeconds(device, type, product);
  auto add = [&](abi::ComputeClass computeClass, int64_t flops) {
    if (flops > 0)
      seconds += double(flops) / computeRate(device, computeClass, type);
  };
  add(abi::ELEMENTWISE, record.accumulate().count());
  add(abi::CONTRACTION, record.launch().contraction_flops());
  add(abi::ELEMENTWISE, record.launch().elementwise_flops());
  add(abi::REDUCTION, record.launch().reduction_flops());
  return seconds;
}

} // namespace

std::vector<Product> productsOf(const abi::Record &record) {
  if (record.has_matmul())
    return {productOf(record.matmul())};
  if (record.has_convolution())
    return {productOf(record.convolution())};
  if (record.has_attention())
    return listProducts(record.attention());
  return {};
}

double movedBytes(const abi::Executable &executable, const abi::Program &program,
                  const abi::Record &record, bool isFirst) {
  double bytes = 0;
  for (const abi::OperandRange &range : abi::operandRanges(executable, program, record)) {
    bool reads =
        range.reads != abi::Reads::No && !(range.reads == abi::Reads::AfterFirst && isFirst);
    bytes += double(range.bytes) * (int(reads) + int(range.writes));
  }
  return bytes;
}

double priceRecord(const abi::DeviceFigures &device, const abi::Executable &executable,
                   const abi::Program &program, const abi::Record &record, bool isFirst) {
  double moving = movedBytes(executable, program, record, isFirst) / memoryRate(device);
  return device.launch_seconds().value() + std::max(secondsOfArithmetic(device, record), moving);
}

} // namespace pcc::machine
