// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that concatenate, slice and pad.
#include "test/fuzz/onnx/Entries.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

namespace pcc::fuzz {
namespace {

constexpr Domain anything = {.hasSpecials = true, .hasNaN = true};

bool drawConcat(Maker &m) {
  const Value &first = m.input(m.types(), anything, 1);
  int64_t rank = first.data.getRank(), axis = m.random.below(rank);
  Shape shape(first.data.getShape());
  auto fits = [&](llvm::ArrayRef<int64_t> other) {
    Shape same(other);
    if (static_cast<int64_t>(other.size()) == rank)
      same[axis] = shape[axis];
    return same == shape;
  };
  Draft draft = m.draft();
  draft.input(first).set("axis", m.written(axis, rank));
  for (int64_t count = m.random.between(0, 3); count > 0; --count)
    draft.input(m.input(first.data.getType(), anything, fits, [&] {
      Shape other = shape;
      other[axis] = m.random.between(1, 5);
      return other;
    }));
  return m.add(draft, 1, true);
}

/// Negative widths cut elements off; at least one element is left.
bool drawPad(Maker &m) {
  constexpr int64_t firstWithInputs = 11, firstWithAxes = 18;
  bool hasInputs = m.opset() >= firstWithInputs;
  const Value &x = m.input(m.types(), anything, 1);
  int64_t rank = x.data.getRank();
  bool hasAxes = m.opset() >= firstWithAxes && m.random.chance(50);
  Shape axes = m.axes(rank, hasAxes ? 1 : rank), low, high;
  for (int64_t axis : axes) {
    int64_t left = x.data.getShape()[axis] - 1;
    low.push_back(m.random.chance(15) ? -m.random.between(0, std::min<int64_t>(left, 2))
                                      : m.random.between(0, 3));
    left += std::min<int64_t>(low.back(), 0);
    high.push_back(m.random.chance(15) ? -m.random.between(0, std::min<int64_t>(left, 2))
                                       : m.random.between(0, 3));
  }
  Shape widths = low;
  llvm::append_range(widths, high);
  Draft draft = m.draft();
  draft.input(x);
  m.maySet(draft, "mode", llvm::StringRef("constant"), llvm::StringRef("constant"));
  if (!hasInputs) {
    draft.set("pads", widths);
    m.maySet(draft, "value", m.random.uniform(-3, 3), 0.0);
    return m.add(draft, 1, true);
  }
  draft.input(m.known(widths));
  m.random.chance(50) ? draft.input(m.known(m.draw(x.data.getType(), {}))) : draft.absent();
  if (hasAxes) {
    for (int64_t &axis : axes)
      axis = m.written(axis, rank);
    draft.input(m.known(axes, m.random.of({ElementType::I64, ElementType::I32})));
  }
  return m.add(draft, 1, true);
}

/// Bounds of a nonempty slice along one dimension.
struct Bounds {
  int64_t start, end, step;
};

Bounds drawBounds(Maker &m, int64_t size, bool hasSteps) {
  int64_t start = m.random.below(size), end = m.random.between(start + 1, size), step = 1;
  if (hasSteps && m.random.chance(40))
    step = m.random.of<int64_t>({2, 3, -1, -2, 100});
  if (step < 0) {
    std::swap(start, --end);
    // Before the first element: -size - 1 and all lower numbers.
    --end;
    if (end < 0)
      end = m.random.of<int64_t>({-size - 1, -size - 7, -std::numeric_limits<int32_t>::max()});
  } else if (end == size && m.random.chance(50)) {
    end = m.random.of<int64_t>({size + 5, std::numeric_limits<int32_t>::max()});
  } else if (m.random.chance(30) && end < size) {
    end -= size;
  }
  if (m.random.chance(30))
    start -= size;
  return {start, end, step};
}

bool drawSlice(Maker &m) {
  constexpr int64_t firstWithInputs = 10;
  bool hasInputs = m.opset() >= firstWithInputs;
  const Value &x = m.input(m.types(), anything, 1);
  int64_t rank = x.data.getRank();
  bool hasAxes = m.random.chance(60), hasSteps = hasInputs && hasAxes && m.random.chance(60);
  Shape axes = m.axes(rank, 1), starts, ends, steps;
  if (!hasAxes)
    for (auto [dim, axis] : llvm::enumerate(axes))
      axis = static_cast<int64_t>(dim);
  for (int64_t &axis : axes) {
    Bounds bounds = drawBounds(m, x.data.getShape()[axis], hasSteps);
    starts.push_back(bounds.start);
    ends.push_back(bounds.end);
    steps.push_back(bounds.step);
    axis = hasInputs ? m.written(axis, rank) : axis;
  }
  Draft draft = m.draft();
  draft.input(x);
  if (!hasInputs) {
    draft.set("starts", starts).set("ends", ends);
    if (hasAxes)
      draft.set("axes", axes);
    return m.add(draft, 1, true);
  }
  ElementType type = m.random.of({ElementType::I64, ElementType::I32});
  draft.input(m.known(starts, type)).input(m.known(ends, type));
  if (hasAxes)
    draft.input(m.known(axes, type));
  if (hasSteps)
    draft.input(m.known(steps, type));
  return m.add(draft, 1, true);
}

/// Up to opset 12 the sizes are an attribute, then an input. Without sizes the pieces are equal;
/// from opset 18 on the last one may be smaller.
bool drawSplit(Maker &m) {
  constexpr int64_t firstWithInput = 13;
  const Value &x = m.input(m.types(), anything, 1);
  int64_t rank = x.data.getRank(), axis = m.random.below(rank), size = x.data.getShape()[axis];
  int64_t count = m.random.between(1, std::min<int64_t>(size, 4));
  bool isEqual = m.random.chance(50);
  if (isEqual && m.has("num_outputs")) {
    int64_t piece = (size + count - 1) / count;
    count = (size + piece - 1) / piece; // every piece has elements
  } else if (isEqual) {
    while (size % count)
      --count;
  }
  Shape sizes(count, 1);
  for (int64_t left = size - count; left > 0; --left)
    ++sizes[m.random.below(count)];
  Draft draft = m.draft();
  draft.input(x);
  m.maySet<int64_t>(draft, "axis", m.written(axis, rank), 0);
  if (!isEqual && m.opset() >= firstWithInput)
    draft.input(m.known(sizes));
  else if (!isEqual)
    draft.set("split", sizes);
  else if (m.has("num_outputs"))
    draft.set("num_outputs", count);
  return m.add(draft, count, true);
}

} // namespace

std::vector<Entry> pieceEntries() {
  return {
      {"Concat", drawConcat},
      {"Pad", drawPad},
      {"Slice", drawSlice},
      {"Split", drawSplit},
  };
}

} // namespace pcc::fuzz
