// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/Draw.h"

using namespace llvm;

namespace pcc::test {

void drawUnary(ProgramMaker &maker) {
  static const char *const ops[] = {"relu", "tanh", "sigmoid", "neg",      "gelu",
                                    "silu", "sin",  "abs",     "softplus", "erf"};
  size_t x = maker.pickAny();
  maker.add(std::string(maker.drawOf(ops)) + " @0 : $0", {x}, Shape(maker.shapeOf(x)));
}

void drawBinary(ProgramMaker &maker) {
  static const char *const ops[] = {"add", "sub", "mul", "max", "min"};
  size_t x = maker.pickAny(), y = maker.pickLike(x);
  maker.add(std::string(maker.drawOf(ops)) + " @0, @1 : $0", {x, y}, Shape(maker.shapeOf(x)));
}

/// Adds a select whose condition compares a value with a constant that no sum of other values
/// equals.
void drawSelect(ProgramMaker &maker) {
  size_t x = maker.pickAny(), y = maker.pickLike(x), z = maker.pickLike(x);
  Shape shape = maker.shapeOf(x);
  size_t bound = maker.add("constant dense<0.3172> : $r", {}, shape);
  size_t isGreater = maker.add("compare gt @0, @1 : $0", {x, bound}, shape, "i1");
  maker.add("select @0, @1, @2 : $r", {isGreater, y, z}, shape);
}

void drawDropout(ProgramMaker &maker) {
  size_t x = maker.pickAny();
  Shape shape = maker.shapeOf(x);
  size_t index = maker.addIndex(shape), seed = maker.addSeed();
  maker.add("dropout @0, @1, @2 rate = 0.25 : $0, $2", {x, index, seed}, shape);
}

void drawReduction(ProgramMaker &maker) {
  static const char *const kinds[] = {"sum", "mean", "max", "min"};
  auto x = maker.pickOfRank(2);
  Shape shape = maker.shapeOf(*x);
  int64_t dim = maker.draw(shape.size());
  shape.erase(shape.begin() + dim);
  maker.addTanh(maker.add("reduce " + std::string(maker.drawOf(kinds)) + " @0, [" +
                              std::to_string(dim) + "] : $0",
                          {*x}, shape));
}

/// Returns the attributes of a loss: `reduction`, and for class numbers an ignored one. A mean over
/// no samples is undefined.
static std::string lossAttributes(bool isMean, bool ignores) {
  std::string text;
  if (!isMean)
    text = "reduction = #graph.loss_reduction<sum>";
  if (ignores)
    text += std::string(text.empty() ? "" : ", ") + "ignore_index = 1 : i64";
  return text.empty() ? "" : "{" + text + "} ";
}

static void drawElementLoss(ProgramMaker &maker) {
  static const char *const ops[] = {"mse", "sigmoid_cross_entropy"};
  size_t x = maker.pickAny();
  maker.add(std::string(maker.drawOf(ops)) + " @0, @1 " + lossAttributes(maker.flip(), false) +
                ": $0",
            {x, maker.pickLike(x)}, {});
}

/// Adds class numbers for each row of `x`: some integers, or the positions of the largest elements
/// of another value.
static size_t addLabels(ProgramMaker &maker, size_t x) {
  Shape rows = maker.shapeOf(x);
  rows.pop_back();
  auto labels =
      maker.pickIntegers([&](ArrayRef<int64_t> shape) { return shape == ArrayRef(rows); });
  if (labels)
    return *labels;
  return maker.add("argmax @0 axis = " + std::to_string(rows.size()) + " : $0",
                   {maker.addApart(maker.pickLike(x))}, rows, "i64");
}

static void drawClassLoss(ProgramMaker &maker) {
  auto x = maker.pickOfRank(2);
  Shape shape = maker.shapeOf(*x);
  std::string axis = " axis = " + std::to_string(shape.size() - 1);
  bool isMean = maker.flip();
  std::string attributes =
      lossAttributes(isMean, maker.flip() && (!isMean || (shape.back() > 2 && shape[0] > 4)));
  if (maker.draw(3) == 0) {
    size_t weights = maker.add("softmax @0" + axis + " : $0", {maker.pickLike(*x)}, shape);
    maker.add("softmax_cross_entropy @0, @1 " + lossAttributes(isMean, false) + ": $0, $1",
              {*x, weights}, {});
    return;
  }
  size_t labels = addLabels(maker, *x);
  if (maker.flip()) {
    maker.add("softmax_cross_entropy @0, @1 " + attributes + ": $0, $1", {*x, labels}, {});
    return;
  }
  size_t logarithms = maker.add("log_softmax @0" + axis + " : $0", {*x}, shape);
  maker.add("nll @0, @1 " + attributes + ": $0, $1", {logarithms, labels}, {});
}

void drawLoss(ProgramMaker &maker) {
  if (maker.flip())
    drawElementLoss(maker);
  else
    drawClassLoss(maker);
}

} // namespace pcc::test
