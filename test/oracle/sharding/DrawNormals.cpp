// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/Draw.h"

using namespace llvm;

namespace pcc::test {

void drawSoftmax(ProgramMaker &maker) {
  static const char *const ops[] = {"softmax", "log_softmax"};
  size_t x = maker.pickAny();
  Shape shape = maker.shapeOf(x);
  x = maker.add(std::string(maker.drawOf(ops)) +
                    " @0 axis = " + std::to_string(maker.draw(shape.size())) + " : $0",
                {x}, shape);
  // The sums of a softmax are one: the sine keeps them from being constants without gradients.
  maker.add("sin @0 : $0", {x}, shape);
}

void drawLayerNorm(ProgramMaker &maker) {
  size_t x = maker.pickAny();
  Shape shape = maker.shapeOf(x);
  int64_t rank = static_cast<int64_t>(shape.size()), axis = maker.draw(rank);
  auto inside = to_vector<4>(seq<int64_t>(axis, rank));
  std::vector<size_t> operands = {x, maker.addAlong(x, inside)};
  std::string op = maker.flip() ? "rms_norm @0, @1" : "layer_norm @0, @1", types = " : $0, $1";
  if (StringRef(op).starts_with("layer") && maker.flip()) {
    operands.push_back(maker.addAlong(x, inside));
    op += ", @2";
    types += ", $2";
  }
  maker.add(op + " axis = " + std::to_string(axis) + " epsilon = 0.0625" + types, operands, shape);
}

void drawBatchNorm(ProgramMaker &maker) {
  auto x = maker.pickOfRank(2);
  Shape shape = maker.shapeOf(*x), channels = {shape[1]};
  std::vector<size_t> operands = {*x};
  for (int operand = 0; operand < 4; ++operand)
    operands.push_back(maker.addAlong(*x, {1}));
  operands.back() = maker.add("sigmoid @0 : $0", {operands.back()}, channels); // a variance
  if (maker.draw(4) == 0) {
    maker.add("batch_norm_inference @0, @1, @2, @3, @4 epsilon = 0.0625 : $0, $1, $3", operands,
              shape);
    return;
  }
  size_t norm =
      maker.add("batch_norm @0, @1, @2, @3, @4 epsilon = 0.0625 momentum = 0.75 : $0, $1, $3",
                operands, shape, "f32", 3);
  for (unsigned result : {1, 2})
    if (maker.flip())
      maker.addResult(norm, result, channels);
}

} // namespace pcc::test
