// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/Draw.h"
#include "test/oracle/sharding/Partitioned.h"

using namespace llvm;

namespace pcc::test {

static std::string axisText(int64_t axis) { return " axis = " + std::to_string(axis); }

static std::optional<size_t> pickIndices(ProgramMaker &maker) {
  return maker.pickIntegers([](ArrayRef<int64_t> shape) { return shape.size() <= 2; });
}

void drawArgmax(ProgramMaker &maker) {
  static const char *const ops[] = {"argmax", "argmin"};
  auto x = maker.pickOfRank(2);
  Shape shape = maker.shapeOf(*x);
  int64_t axis = maker.draw(shape.size());
  shape.erase(shape.begin() + axis);
  size_t place = maker.add(std::string(maker.drawOf(ops)) + " @0" + axisText(axis) +
                               (maker.flip() ? " {last} : $0" : " : $0"),
                           {maker.addApart(*x)}, shape, "i64");
  place = maker.add("cast @0 : $0 to $r", {place}, shape);
  maker.add("sin @0 : $0", {place}, shape);
}

void drawTopK(ProgramMaker &maker) {
  size_t x = maker.addApart(maker.pickAny());
  Shape shape = maker.shapeOf(x);
  int64_t axis = maker.draw(shape.size());
  shape[axis] = 1 + maker.draw(shape[axis]);
  size_t top =
      maker.add("top_k @0" + axisText(axis) + (maker.flip() ? " {smallest}" : "") + " : $0 to $r",
                {x}, shape, "f32", 2);
  // The relu makes the indices a value of their own without changing them.
  size_t places = maker.add("relu @0#1 : $r", {top}, shape, "i64");
  maker.add("sin @0 : $0", {maker.add("cast @0 : $0 to $r", {places}, shape)}, shape);
}

void drawCumsum(ProgramMaker &maker) {
  static const char *const forms[] = {"", " {exclusive}", " {reverse}", " {exclusive, reverse}"};
  size_t x = maker.pickAny();
  Shape shape = maker.shapeOf(x);
  maker.addTanh(
      maker.add("cumsum @0" + axisText(maker.draw(shape.size())) + maker.drawOf(forms) + " : $0",
                {x}, shape));
}

/// Returns the shape of the elements of `input` gathered by `indices` along `axis`.
static Shape gatheredShape(ArrayRef<int64_t> input, ArrayRef<int64_t> indices, int64_t axis) {
  Shape shape(input.take_front(axis));
  shape.append(indices.begin(), indices.end());
  append_range(shape, input.drop_front(axis + 1));
  return shape;
}

static std::optional<size_t> addGather(ProgramMaker &maker, size_t x, size_t indices,
                                       int64_t axis) {
  Shape shape = gatheredShape(maker.shapeOf(x), maker.shapeOf(indices), axis);
  if (!ProgramMaker::isSmall(shape))
    return std::nullopt;
  return maker.add("gather @0, @1" + axisText(axis) + " : $0, $1", {x, indices}, shape);
}

void drawGather(ProgramMaker &maker) {
  size_t x = maker.pickAny();
  addGather(maker, x, *pickIndices(maker), maker.draw(maker.shapeOf(x).size()));
}

void drawScatterAdd(ProgramMaker &maker) {
  size_t x = maker.pickAny(), indices = *pickIndices(maker);
  int64_t axis = maker.draw(maker.shapeOf(x).size());
  if (auto updates = addGather(maker, maker.pickLike(x), indices, axis))
    maker.addTanh(maker.add("scatter_add @0, @1, @2" + axisText(axis) + " : ($0, $1, $2) -> $r",
                            {x, indices, *updates}, Shape(maker.shapeOf(x))));
}

void drawOneHot(ProgramMaker &maker) {
  size_t indices = *pickIndices(maker);
  Shape shape = maker.shapeOf(indices);
  int64_t axis = maker.draw(shape.size() + 1);
  shape.insert(shape.begin() + axis, 4 + maker.draw(9));
  if (ProgramMaker::isSmall(shape))
    maker.add("one_hot @0" + axisText(axis) + " : $0 to $r", {indices}, shape);
}

} // namespace pcc::test
