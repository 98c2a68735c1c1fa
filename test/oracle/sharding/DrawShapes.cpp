// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/Draw.h"
#include "test/oracle/sharding/Partitioned.h"

using namespace llvm;

namespace pcc::test {

/// Merges two dimensions, or splits one.
void drawReshape(ProgramMaker &maker) {
  auto x = maker.pickOfRank(2);
  Shape shape = maker.shapeOf(*x);
  int64_t dim = maker.draw(shape.size() - 1), parts = 2 + maker.draw(5);
  if (shape.size() >= 3 && (shape.size() == 4 || maker.flip())) {
    shape[dim] *= shape[dim + 1];
    shape.erase(shape.begin() + dim + 1);
  } else if (shape[dim] % parts == 0) {
    shape[dim] /= parts;
    shape.insert(shape.begin() + dim, parts);
  }
  maker.add("reshape @0 : $0 to $r", {*x}, shape);
}

void drawTranspose(ProgramMaker &maker) {
  auto x = maker.pickOfRank(2);
  Shape order = maker.drawOrder(maker.shapeOf(*x)), shape;
  for (int64_t dim : order)
    shape.push_back(maker.shapeOf(*x)[dim]);
  maker.add("transpose @0, [" + joined(order) + "] : $0", {*x}, shape);
}

/// Adds one dimension at the front or at the back.
void drawBroadcast(ProgramMaker &maker) {
  auto x = maker.pickOfRank(1, 3);
  Shape shape = maker.shapeOf(*x);
  bool inFront = maker.flip();
  shape.insert(inFront ? shape.begin() : shape.end(), shape.size() == 1 ? 12 : 3 + maker.draw(2));
  if (!ProgramMaker::isSmall(shape))
    return;
  auto dims = to_vector<4>(seq<int64_t>(inFront, inFront + maker.shapeOf(*x).size()));
  maker.add("broadcast @0, [" + joined(dims) + "] : $0 to $r", {*x}, shape);
}

static void drawPad(ProgramMaker &maker, size_t x, int64_t dim) {
  Shape shape = maker.shapeOf(x);
  int64_t low = maker.draw(3), high = maker.draw(4) - 1;
  shape[dim] += low + high;
  if (shape[dim] > 0 && ProgramMaker::isSmall(shape))
    maker.add("pad @0 axis = " + std::to_string(dim) + " low = " + std::to_string(low) +
                  " high = " + std::to_string(high) + " {value = 0.5 : f64} : $0",
              {x}, shape);
}

static void drawSplit(ProgramMaker &maker, size_t x, int64_t dim) {
  Shape first = maker.shapeOf(x), second = first;
  first[dim] = 1 + maker.draw(first[dim] - 1);
  second[dim] -= first[dim];
  size_t split =
      maker.add("split @0 axis = " + std::to_string(dim) + " : $0 to $r, " + typeText(second), {x},
                first, "f32", 2);
  maker.addResult(split, 1, second);
}

void drawPiece(ProgramMaker &maker) {
  size_t x = maker.pickAny();
  Shape shape = maker.shapeOf(x);
  int64_t dim = maker.draw(shape.size()), start = maker.draw(2);
  switch (maker.draw(3)) {
  case 0:
    shape[dim] = (shape[dim] - start) / 2;
    if (shape[dim] > 0)
      maker.add("slice @0 axis = " + std::to_string(dim) + " start = " + std::to_string(start) +
                    (maker.flip() ? "" : " {stride = 2 : i64}") + " : $0 to $r",
                {x}, shape);
    return;
  case 1:
    if (shape[dim] > 1)
      drawSplit(maker, x, dim);
    return;
  default:
    drawPad(maker, x, dim);
  }
}

void drawConcat(ProgramMaker &maker) {
  size_t x = maker.pickAny();
  Shape shape = maker.shapeOf(x);
  int64_t dim = maker.draw(shape.size());
  shape[dim] *= 2;
  if (shape[dim] <= 24 && ProgramMaker::isSmall(shape))
    maker.add("concat @0, @1 axis = " + std::to_string(dim) + " : $0, $1", {x, maker.pickLike(x)},
              shape);
}

/// Reads some rows from a computed start, or writes rows there.
void drawDynamicSlice(ProgramMaker &maker) {
  size_t x = maker.pickAny();
  Shape shape = maker.shapeOf(x), whole = shape;
  int64_t dim = maker.draw(shape.size());
  std::string axis = " axis = " + std::to_string(dim);
  size_t start =
      maker.add("constant dense<" + std::to_string(maker.draw(4)) + "> : $r", {}, {}, "i64");
  shape[dim] = 1 + maker.draw(shape[dim]);
  size_t piece = maker.add("dynamic_slice @0, @1" + axis + " : ($0, $1) -> $r", {x, start}, shape);
  if (maker.flip())
    maker.add("dynamic_update_slice @0, @1, @2" + axis + " : ($0, $1, $2) -> $r",
              {maker.pickLike(x), piece, start}, whole);
}

} // namespace pcc::test
