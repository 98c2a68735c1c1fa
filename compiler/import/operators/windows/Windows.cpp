// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding becomes explicit here. SAME pads by ONNX's formula; rounding up pads behind the image.
// Sequences get a dimension of size 1, and then use windows over images.
#include "compiler/import/operators/windows/Windows.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {

ImageWindow ImageWindow::withinLayer() const {
  auto pair = [](const Shape &list) { return Shape{list[1], list[2]}; };
  return {pair(sizes),
          pair(strides),
          {padding[1], padding[2], padding[4], padding[5]},
          pair(dilations)};
}

ImageWindow ImageWindow::alongLayers() const {
  return {{sizes[0], 1}, {strides[0], 1}, {padding[0], 0, padding[3], 0}, {dilations[0], 1}};
}

WindowReader::WindowReader(Node &node, const Tensor &x, Shape sizes)
    : node(node), spatial(x.rank() - 2), image(x.shape().drop_front(2)) {
  window.sizes = std::move(sizes);
}

std::optional<Shape> WindowReader::list(llvm::StringRef name, int64_t count, int64_t least,
                                        int64_t otherwise) {
  Shape values = node.integers(name).value_or(Shape(count, otherwise));
  bool inRange = llvm::all_of(
      values, [&](int64_t value) { return value >= least && value <= graph::maxWindow; });
  if (static_cast<int64_t>(values.size()) == count && inRange)
    return values;
  node.emit.error() << "expected " << count << " numbers from " << least << " on in '" << name
                    << "', got " << formatShape(values);
  return std::nullopt;
}

/// Pads so that the number of results is the image size divided by the stride, rounded up.
void WindowReader::padForSameSize(bool extraAtEnd) {
  window.padding.assign(2 * spatial, 0);
  for (int64_t dim : llvm::seq(spatial)) {
    int64_t results = llvm::divideCeil(image[dim], window.strides[dim]);
    int64_t missing =
        std::max<int64_t>(0, (results - 1) * window.strides[dim] + window.extent(dim) - image[dim]);
    int64_t less = missing / 2, more = missing - less;
    window.padding[dim] = extraAtEnd ? less : more;
    window.padding[dim + spatial] = extraAtEnd ? more : less;
  }
}

/// Pads after the image, so that a last window counts if it begins before the image ends.
void WindowReader::padForRoundingUp() {
  for (int64_t dim : llvm::seq(spatial)) {
    int64_t &low = window.padding[dim], &high = window.padding[dim + spatial];
    int64_t room = image[dim] + low + high - window.extent(dim), stride = window.strides[dim];
    if (room < 0)
      continue; // the op reports an error
    int64_t last = llvm::divideCeil(room, stride) * stride;
    if (last < image[dim] + low)
      high += std::max<int64_t>(0, last - room);
  }
}

bool WindowReader::readLists() {
  auto strides = list("strides", spatial, 1, 1), dilations = list("dilations", spatial, 1, 1);
  auto padding = list("pads", 2 * spatial, 0, 0);
  if (!strides || !dilations || !padding)
    return false;
  window.strides = *strides;
  window.dilations = *dilations;
  window.padding = *padding;
  return true;
}

std::optional<std::string> WindowReader::readAutoPad() {
  std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode == "SAME_UPPER" || mode == "SAME_LOWER" || mode == "VALID")
    return mode;
  node.emit.error() << "expected 'auto_pad' to be NOTSET, SAME_UPPER, SAME_LOWER or VALID, got '"
                    << mode << "'";
  return std::nullopt;
}

FailureOr<ImageWindow> WindowReader::read(bool roundsUp) {
  if (!readLists())
    return failure();
  auto mode = readAutoPad();
  if (!mode)
    return failure();
  if (*mode == "SAME_UPPER" || *mode == "SAME_LOWER")
    padForSameSize(*mode == "SAME_UPPER");
  else if (*mode == "VALID")
    window.padding.assign(2 * spatial, 0);
  if (roundsUp)
    padForRoundingUp();
  return asImageWindow(window);
}

ImageWindow asImageWindow(ImageWindow window) {
  if (window.dims() != 1)
    return window;
  window.sizes.insert(window.sizes.begin(), 1);
  window.strides.insert(window.strides.begin(), 1);
  window.dilations.insert(window.dilations.begin(), 1);
  window.padding = {0, window.padding[0], 0, window.padding[1]};
  return window;
}

LogicalResult checkSpatial(Node &node, const Tensor &x) {
  if (x.rank() >= 3 && x.rank() <= 5)
    return success();
  return node.emit.error() << "expected sequences, images or volumes, with 1 to 3 dimensions "
                              "behind batch and channels, got "
                           << x.type;
}

Tensor asImage(Emitter &emit, const Tensor &x) {
  llvm::ArrayRef<int64_t> shape = x.shape();
  return x.rank() == 3 ? emit.reshape(x, {shape[0], shape[1], 1, shape[2]}) : x;
}

Tensor asLike(Emitter &emit, const Tensor &image, const Tensor &like) {
  if (!image || like.rank() != 3)
    return image;
  llvm::ArrayRef<int64_t> shape = image.shape();
  return emit.reshape(image, {shape[0], shape[1], shape[3]});
}

llvm::SmallVector<NamedAttribute> windowAttributes(Emitter &emit, const ImageWindow &window) {
  Builder &b = emit.attributes();
  llvm::SmallVector<NamedAttribute> attributes;
  for (auto [attribute, values] : {std::pair("strides", &window.strides),
                                   {"padding", &window.padding},
                                   {"dilations", &window.dilations}})
    attributes.push_back(b.getNamedAttr(attribute, b.getDenseI64ArrayAttr(*values)));
  return attributes;
}

RankedTensorType windowResult(Emitter &emit, const Tensor &x, int64_t channels,
                              const ImageWindow &window) {
  llvm::ArrayRef<int64_t> shape = x.shape();
  Shape result = {shape[0], channels};
  for (unsigned dim : {0, 1}) {
    int64_t size = window.get().getResultSize(dim, shape[dim + 2]);
    if (size < 1) {
      emit.error() << "expected a window that fits into " << x.type << " and its padding, got "
                   << "one of " << formatShape(window.sizes);
      return {};
    }
    result.push_back(size);
  }
  return RankedTensorType::get(result, x.elementType());
}

Tensor spread(Emitter &emit, const Tensor &x, int64_t dim, int64_t stride, int64_t low,
              int64_t size) {
  Tensor result = x;
  int64_t count = x.shape()[dim];
  if (stride > 1 && count > 1) {
    Shape apart(x.shape()), joined(x.shape());
    apart.insert(apart.begin() + dim + 1, 1);
    joined[dim] = count * stride;
    result = emit.pad(emit.reshape(x, apart), dim + 1, 0, stride - 1, 0.0);
    result = emit.reshape(result, joined);
    count *= stride;
  }
  return emit.pad(result, dim, low, size - low - count, 0.0);
}

} // namespace pcc::import
