// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and pooling.
#include "test/fuzz/onnx/Entries.h"
#include "llvm/ADT/Sequence.h"

namespace pcc::fuzz {
namespace {

/// A window over `image`; each of its positions overlaps the image.
struct Window {
  Shape sizes, strides, pads, dilations;
  std::string autoPad = "NOTSET";
  bool hasCeiling = false;

  bool fits(llvm::ArrayRef<int64_t> image) const;
};

/// Returns true if every position of the window has an element of the image, with rounding up or
/// down.
bool Window::fits(llvm::ArrayRef<int64_t> image) const {
  size_t rank = image.size();
  for (size_t dim : llvm::seq(rank)) {
    int64_t extent = (sizes[dim] - 1) * dilations[dim] + 1;
    int64_t low = pads[dim], high = pads[dim + rank];
    if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER")
      low = high = extent / 2;
    int64_t room = image[dim] + low + high - extent;
    if (room < 0)
      return false;
    for (int64_t start = -low; start <= room - low + strides[dim] - 1 && start < image[dim];
         start += strides[dim]) {
      bool touches = false;
      for (int64_t n = 0; n < sizes[dim]; ++n) {
        int64_t place = start + n * dilations[dim];
        touches |= place >= 0 && place < image[dim];
      }
      if (!touches)
        return false;
    }
  }
  return true;
}

/// Draws a window of `sizes`, or of random sizes. A window of one pixel without padding always
/// fits.
Window drawWindow(Maker &m, llvm::ArrayRef<int64_t> image, std::optional<Shape> sizes = {}) {
  auto rank = static_cast<int64_t>(image.size());
  for (int64_t attempt = 0; attempt < 20; ++attempt) {
    Window window;
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t size =
          sizes ? (*sizes)[dim] : m.random.between(1, std::min<int64_t>(image[dim] + 1, 4));
      window.sizes.push_back(size);
      window.strides.push_back(m.random.of<int64_t>({1, 1, 2, 3}));
      window.dilations.push_back(m.has("dilations") ? m.random.of<int64_t>({1, 1, 1, 2}) : 1);
    }
    for (int64_t n = 0; n < 2 * rank; ++n)
      window.pads.push_back(m.random.chance(40) ? m.random.below(window.sizes[n % rank]) : 0);
    if (m.random.chance(25)) {
      window.autoPad = m.random.of<const char *>({"SAME_UPPER", "SAME_LOWER", "VALID"});
      window.pads.assign(2 * rank, 0);
    }
    window.hasCeiling = m.has("ceil_mode") && m.random.chance(30) && window.autoPad == "NOTSET";
    if (window.fits(image))
      return window;
  }
  Shape ones(rank, 1);
  return {sizes.value_or(ones), ones, Shape(2 * rank, 0), ones};
}

void setWindow(Maker &m, Draft &draft, const Window &window, bool needsSizes) {
  if (needsSizes || m.random.chance(50))
    draft.set("kernel_shape", window.sizes);
  Shape ones(window.sizes.size(), 1);
  auto maySetList = [&](llvm::StringRef name, const Shape &values, const Shape &otherwise) {
    if (m.has(name) && (values != otherwise || m.random.chance(50)))
      draft.set(name, values);
  };
  maySetList("strides", window.strides, ones);
  maySetList("dilations", window.dilations, ones);
  if (window.autoPad == "NOTSET")
    maySetList("pads", window.pads, Shape(2 * ones.size(), 0));
  m.maySet(draft, "auto_pad", llvm::StringRef(window.autoPad), llvm::StringRef("NOTSET"));
  m.maySet<int64_t>(draft, "ceil_mode", window.hasCeiling, 0);
}

/// Draws a shape [samples, channels, sizes ...].
Shape drawImage(Maker &m, int64_t maxDims) {
  Shape shape = {m.random.between(1, 3), m.random.between(1, 6)};
  for (int64_t dims = m.random.between(1, maxDims); dims > 0; --dims)
    shape.push_back(m.random.between(1, 9));
  return shape;
}

const Value &imageInput(Maker &m, int64_t maxDims, Domain domain = {}) {
  return m.input(
      m.types(), domain,
      [&](llvm::ArrayRef<int64_t> shape) {
        return shape.size() >= 3 && shape.size() <= static_cast<size_t>(maxDims) + 2;
      },
      [&] { return drawImage(m, maxDims); });
}

bool drawConv(Maker &m) {
  const Value &x = imageInput(m, 3, within(-11, 11));
  llvm::ArrayRef<int64_t> shape = x.data.getShape();
  int64_t groups = 1;
  if (m.random.chance(30))
    for (groups = m.random.between(1, shape[1]); shape[1] % groups;)
      --groups;
  Shape weight = {groups * m.random.between(1, 4), shape[1] / groups}, sizes;
  for (int64_t size : shape.drop_front(2))
    sizes.push_back(m.random.between(1, std::min<int64_t>(size, 4)));
  weight.append(sizes);
  Window window = drawWindow(m, shape.drop_front(2), sizes);
  Draft draft = m.draft();
  draft.input(x).input(m.inputOf(x.data.getType(), weight, within(-11, 11)));
  if (m.random.chance(50))
    draft.input(m.inputOf(x.data.getType(), weight.front()));
  else if (m.random.chance(30))
    draft.absent();
  setWindow(m, draft, window, /*needsSizes=*/false);
  m.maySet<int64_t>(draft, "group", groups, 1);
  return m.add(draft);
}

bool drawMaxPool(Maker &m) {
  const Value &x = imageInput(m, 3, {.hasSpecials = true});
  Draft draft = m.draft();
  draft.input(x);
  setWindow(m, draft, drawWindow(m, x.data.getShape().drop_front(2)), /*needsSizes=*/true);
  m.maySet<int64_t>(draft, "storage_order", m.random.below(2), 0);
  return m.add(draft, 1, true);
}

bool drawAveragePool(Maker &m) {
  const Value &x = imageInput(m, 3);
  Draft draft = m.draft();
  draft.input(x);
  setWindow(m, draft, drawWindow(m, x.data.getShape().drop_front(2)), /*needsSizes=*/true);
  m.maySet<int64_t>(draft, "count_include_pad", m.random.below(2), 0);
  return m.add(draft);
}

bool drawGlobalPool(Maker &m) {
  Draft draft = m.draft();
  draft.input(imageInput(m, 3));
  return m.add(draft);
}

} // namespace

std::vector<Entry> windowEntries() {
  return {
      {"AveragePool", drawAveragePool},
      {"Conv", drawConv},
      {"GlobalAveragePool", drawGlobalPool},
      {"GlobalMaxPool", drawGlobalPool},
      {"MaxPool", drawMaxPool},
  };
}

} // namespace pcc::fuzz
