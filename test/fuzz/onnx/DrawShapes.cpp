// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that change only the shape.
#include "test/fuzz/onnx/Entries.h"
#include "llvm/ADT/STLExtras.h"

namespace pcc::fuzz {
namespace {

constexpr Domain anything = {.hasSpecials = true, .hasNaN = true};
constexpr int64_t firstWithAxesInput = 13;

/// Returns sizes whose product is `count`, in at most four dimensions.
Shape factorize(Maker &m, int64_t count) {
  Shape sizes;
  while (count > 1 && sizes.size() < 3) {
    int64_t factor = m.random.between(1, std::min<int64_t>(count, 9));
    while (count % factor)
      --factor;
    sizes.push_back(factor);
    count /= factor;
  }
  if (count > 1 || m.random.chance(30))
    sizes.insert(sizes.begin() + m.random.below(static_cast<int64_t>(sizes.size()) + 1), count);
  return sizes;
}

/// Writes some sizes as 0 (the input's size) or -1 (the remaining elements).
bool drawReshape(Maker &m) {
  const Value &x = m.input(m.types(), anything);
  Shape shape = factorize(m, x.data.size()), written = shape;
  llvm::ArrayRef<int64_t> old = x.data.getShape();
  bool allowZero = m.has("allowzero") && m.random.chance(20);
  for (size_t dim = 0; !allowZero && dim < std::min(shape.size(), old.size()); ++dim)
    if (shape[dim] == old[dim] && m.random.chance(30))
      written[dim] = 0;
  if (!shape.empty() && m.random.chance(50))
    written[m.random.below(static_cast<int64_t>(shape.size()))] = -1;
  Draft draft = m.draft();
  draft.input(x).input(m.known(written));
  m.maySet<int64_t>(draft, "allowzero", allowZero, 0);
  return m.add(draft, 1, true);
}

/// The axis may equal the rank.
bool drawFlatten(Maker &m) {
  const Value &x = m.input(m.types(), anything, 1);
  int64_t rank = x.data.getRank(), axis = m.random.between(0, rank);
  Draft draft = m.draft();
  draft.input(x);
  m.maySet<int64_t>(draft, "axis", axis < rank ? m.written(axis, rank) : axis, 1);
  return m.add(draft, 1, true);
}

bool drawTranspose(Maker &m) {
  const Value &x = m.input(m.types(), anything, 1);
  Draft draft = m.draft();
  draft.input(x);
  Shape order = m.axes(x.data.getRank(), x.data.getRank());
  m.random.shuffle(order);
  if (m.random.chance(80))
    draft.set("perm", order);
  return m.add(draft, 1, true);
}

/// Up to opset 12 axes are an attribute, then an input.
void setAxes(Maker &m, Draft &draft, llvm::ArrayRef<int64_t> axes, int64_t rank) {
  Shape written;
  for (int64_t axis : axes)
    written.push_back(m.written(axis, rank));
  if (m.opset() >= firstWithAxesInput)
    draft.input(m.known(written));
  else
    draft.set("axes", written);
}

bool drawSqueeze(Maker &m) {
  auto hasOne = [](llvm::ArrayRef<int64_t> shape) { return llvm::is_contained(shape, 1); };
  const Value &x = m.input(m.types(), anything, hasOne, [&] {
    Shape shape = m.shape(0, 3);
    for (int64_t count = m.random.between(1, 2); count > 0; --count)
      shape.insert(shape.begin() + m.random.below(static_cast<int64_t>(shape.size()) + 1), 1);
    return shape;
  });
  Shape ones;
  for (auto [dim, size] : llvm::enumerate(x.data.getShape()))
    if (size == 1 && (ones.empty() || m.random.chance(60)))
      ones.push_back(static_cast<int64_t>(dim));
  Draft draft = m.draft();
  draft.input(x);
  if (m.random.chance(70))
    setAxes(m, draft, ones, x.data.getRank());
  return m.add(draft, 1, true);
}

bool drawUnsqueeze(Maker &m) {
  const Value &x = m.input(m.types(), anything, 0, 3);
  int64_t added = m.random.between(1, 2), rank = x.data.getRank() + added;
  Shape axes = m.axes(rank, rank);
  m.random.shuffle(axes);
  axes.resize(added);
  Draft draft = m.draft();
  draft.input(x);
  setAxes(m, draft, axes, rank);
  return m.add(draft, 1, true);
}

bool drawExpand(Maker &m) {
  const Value &x = m.input(m.types(), anything, 0, 3);
  Shape shape = m.partnerShape(x.data.getShape());
  for (auto [dim, size] : llvm::enumerate(llvm::reverse(shape)))
    if (size == 1 && (dim >= x.data.getShape().size() || x.data.getShape().rbegin()[dim] == 1))
      size = m.random.between(1, 8);
  Draft draft = m.draft();
  draft.input(x).input(m.known(shape));
  return m.add(draft, 1, true);
}

bool drawTile(Maker &m) {
  const Value &x = m.input(m.types(), anything, 1);
  Shape repeats;
  for (int64_t dim = 0; dim < x.data.getRank(); ++dim)
    repeats.push_back(m.random.chance(50) ? 1 : m.random.between(1, 4));
  Draft draft = m.draft();
  draft.input(x).input(m.known(repeats));
  return m.add(draft, 1, true);
}

/// Draws an image whose dimensions fit blocks of `side` pixels.
bool drawBlocks(Maker &m, bool toSpace) {
  int64_t side = m.random.between(1, 3);
  auto fits = [&](llvm::ArrayRef<int64_t> shape) {
    return shape.size() == 4 &&
           (toSpace ? shape[1] % (side * side) == 0 : shape[2] % side == 0 && shape[3] % side == 0);
  };
  const Value &x = m.input(m.types(), anything, fits, [&] {
    int64_t channels = m.random.between(1, 3), rows = m.random.between(1, 4);
    int64_t columns = m.random.between(1, 4), samples = m.random.between(1, 3);
    return toSpace ? Shape{samples, channels * side * side, rows, columns}
                   : Shape{samples, channels, rows * side, columns * side};
  });
  Draft draft = m.draft();
  draft.input(x).set("blocksize", side);
  llvm::StringRef mode = m.random.chance(50) ? "CRD" : "DCR";
  m.maySet(draft, "mode", mode, llvm::StringRef("DCR"));
  return m.add(draft, 1, true);
}

} // namespace

std::vector<Entry> shapeEntries() {
  return {
      {"DepthToSpace", [](Maker &m) { return drawBlocks(m, /*toSpace=*/true); }},
      {"Expand", drawExpand},
      {"Flatten", drawFlatten},
      {"Reshape", drawReshape},
      {"SpaceToDepth", [](Maker &m) { return drawBlocks(m, /*toSpace=*/false); }},
      {"Squeeze", drawSqueeze},
      {"Tile", drawTile},
      {"Transpose", drawTranspose},
      {"Unsqueeze", drawUnsqueeze},
  };
}

} // namespace pcc::fuzz
