// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/Draw.h"

using namespace llvm;

namespace pcc::test {
namespace {

/// Strides, dilations and padding of a window over rows and columns.
struct DrawnWindow {
  /// Draws a padding less than the window's extent plus `morePadding`.
  DrawnWindow(ProgramMaker &maker, ArrayRef<int64_t> window, int64_t morePadding) : window(window) {
    for (unsigned dim : {0, 1}) {
      strides[dim] = 1 + maker.draw(3) % 2 + (maker.draw(6) == 0);
      dilations[dim] = 1 + (maker.draw(4) == 0);
    }
    for (unsigned side : {0, 1, 2, 3})
      padding[side] = maker.draw(getExtent(side % 2) + morePadding);
  }

  int64_t getExtent(unsigned dim) const { return (window[dim] - 1) * dilations[dim] + 1; }
  /// Returns the size of the result; below 1 if the window does not fit.
  int64_t getResultSize(unsigned dim, int64_t size) const {
    int64_t room = size + padding[dim] + padding[dim + 2] - getExtent(dim);
    return room < 0 ? 0 : room / strides[dim] + 1;
  }
  std::string str() const {
    return "strides = array<i64: " + joined(strides) +
           ">, padding = array<i64: " + joined(padding) +
           ">, dilations = array<i64: " + joined(dilations) + ">";
  }

  Shape window;
  int64_t strides[2], dilations[2], padding[4];
};

} // namespace

void drawConvolution(ProgramMaker &maker) {
  auto weight = maker.pick(
      [](ArrayRef<int64_t> shape) { return shape.size() == 4 && shape[2] <= 5 && shape[3] <= 5; });
  if (!weight)
    return;
  Shape filter = maker.shapeOf(*weight);
  auto x = maker.pick([&](ArrayRef<int64_t> shape) {
    return shape.size() == 4 && shape[1] % filter[1] == 0 &&
           filter[0] % (shape[1] / filter[1]) == 0;
  });
  if (!x)
    return;
  Shape shape = maker.shapeOf(*x);
  DrawnWindow window(maker, ArrayRef(filter).drop_front(2), /*morePadding=*/1);
  shape[1] = filter[0];
  for (unsigned dim : {0, 1})
    shape[dim + 2] = window.getResultSize(dim, shape[dim + 2]);
  if (shape[2] < 1 || shape[3] < 1 || !ProgramMaker::isSmall(shape))
    return;
  maker.addTanh(maker.add("conv2d @0, @1 {" + window.str() + "} : $0, $1", {*x, *weight}, shape));
}

void drawPool(ProgramMaker &maker) {
  auto x = maker.pickOfRank(4);
  if (!x)
    return;
  Shape shape = maker.shapeOf(*x), size = {1 + maker.draw(4), 1 + maker.draw(3)};
  DrawnWindow window(maker, size, /*morePadding=*/0);
  for (unsigned dim : {0, 1})
    shape[dim + 2] = window.getResultSize(dim, shape[dim + 2]);
  if (shape[2] < 1 || shape[3] < 1 || !ProgramMaker::isSmall(shape))
    return;
  bool isMax = maker.flip();
  maker.add(std::string(isMax ? "max_pool" : "avg_pool") + " @0 window = [" + joined(size) + "] {" +
                window.str() + (!isMax && maker.flip() ? ", count_include_pad" : "") + "} : $0",
            {*x}, shape);
}

} // namespace pcc::test
