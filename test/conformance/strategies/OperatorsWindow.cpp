// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on images.
#include "test/conformance/strategies/Operators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace pcc::conformance {

/// Writes a convolution of stride 1, with the padding that preserves rows and columns.
std::vector<Value> writeConvolution(Operation &o) {
  const Value &x = o.operands[0], &weight = o.operands[1];
  Shape shape = x.shape, padding(4);
  shape[1] = weight.shape[0];
  for (int64_t dim : {0, 1}) {
    int64_t missing = weight.shape[dim + 2] - 1;
    padding[dim] = missing / 2;
    padding[dim + 2] = missing - missing / 2;
  }
  std::string numbers = toText(padding);
  std::string attribute = "padding = array<i64: " + numbers.substr(1, numbers.size() - 2) + ">";
  o.readBy(0, o.node.name, 0);
  o.readBy(1, o.node.name, 1);
  return {
      o.writer.write(o.node.name, o.op,
                     x.name + ", " + weight.name + markText(o.strategy, o.outStrategy, attribute),
                     x.type() + ", " + weight.type(), shape)};
}

/// Writes a batch norm in training form; operands are x, scale, bias, mean and variance. Only the
/// first result is used.
std::vector<Value> writeBatchNorm(Operation &o) {
  const Value &x = o.operands[0], &scale = o.operands[1], &mean = o.operands[3];
  std::vector<std::string> names;
  for (auto [index, operand] : llvm::enumerate(o.operands)) {
    names.push_back(operand.name);
    o.readBy(index, o.node.name, index);
  }
  return {o.writer
              .writeMany(o.node.name, o.op,
                         llvm::join(names, ", ") + " epsilon = 1.0e-5 momentum = 0.9" +
                             markText(o.strategy, o.outStrategy),
                         x.type() + ", " + scale.type() + ", " + mean.type(),
                         {x.shape, mean.shape, mean.shape})
              .front()};
}

/// Writes a max pool of square windows without padding.
std::vector<Value> writeMaxPool(Operation &o) {
  const Value &x = o.operands[0];
  int64_t size = o.node.number("kernel"), stride = o.node.number("stride");
  Shape shape = x.shape;
  for (int64_t dim : {2, 3})
    shape[dim] = (shape[dim] - size) / stride + 1;
  std::string steps = std::to_string(stride);
  o.readBy(0, o.node.name, 0);
  return {o.writer.write(
      o.node.name, o.op,
      x.name + " window = " + toText({size, size}) +
          markText(o.strategy, o.outStrategy, "strides = array<i64: " + steps + ", " + steps + ">"),
      x.type(), shape)};
}

} // namespace pcc::conformance
