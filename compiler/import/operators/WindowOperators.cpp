// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution and pooling of images and of sequences, which become images of one row. Max pooling
// of volumes runs as two poolings of images. Later versions of these operators only added
// attributes, so one row serves all versions.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "dialects/graph/Window.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Window of a node, as the attributes of a graph op: rows and columns; for volumes, layers before
/// them.
struct ImageWindow {
  Shape sizes, strides, padding, dilations;

  graph::Window get() const { return {sizes, strides, padding, dilations}; }
};

/// Reads the attributes that define how a node's window moves.
class WindowReader {
public:
  /// Creates a reader. `x` is the node's first input; `sizes` are the spatial sizes of its window.
  WindowReader(Node &node, const Tensor &x, Shape sizes)
      : node(node), spatial(x.rank() - 2), image(x.shape().drop_front(2)) {
    window.sizes = std::move(sizes);
  }

  /// Fails after an error.
  FailureOr<ImageWindow> read(bool roundsUp);

private:
  /// Returns the list `name` of `count` numbers, each at least `least`. If the list is absent, all
  /// numbers are `otherwise`.
  std::optional<Shape> list(llvm::StringRef name, int64_t count, int64_t least, int64_t otherwise);
  void padForSameSize(bool extraAtEnd);
  void padForRoundingUp();

  Node &node;
  int64_t spatial;
  llvm::ArrayRef<int64_t> image;
  ImageWindow window;
};

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
    int64_t extent = (window.sizes[dim] - 1) * window.dilations[dim] + 1;
    int64_t results = llvm::divideCeil(image[dim], window.strides[dim]);
    int64_t missing =
        std::max<int64_t>(0, (results - 1) * window.strides[dim] + extent - image[dim]);
    int64_t less = missing / 2, more = missing - less;
    window.padding[dim] = extraAtEnd ? less : more;
    window.padding[dim + spatial] = extraAtEnd ? more : less;
  }
}

/// Pads after the image, so that a last window counts if it begins before the image ends.
void WindowReader::padForRoundingUp() {
  for (int64_t dim : llvm::seq(spatial)) {
    int64_t &low = window.padding[dim], &high = window.padding[dim + spatial];
    int64_t extent = (window.sizes[dim] - 1) * window.dilations[dim] + 1;
    int64_t room = image[dim] + low + high - extent, stride = window.strides[dim];
    if (room < 0)
      continue; // the op reports an error
    int64_t last = llvm::divideCeil(room, stride) * stride;
    if (last < image[dim] + low)
      high += std::max<int64_t>(0, last - room);
  }
}

FailureOr<ImageWindow> WindowReader::read(bool roundsUp) {
  std::string mode = node.text("auto_pad", "NOTSET");
  auto strides = list("strides", spatial, 1, 1), dilations = list("dilations", spatial, 1, 1);
  auto padding = list("pads", 2 * spatial, 0, 0);
  if (!strides || !dilations || !padding)
    return failure();
  window.strides = *strides;
  window.dilations = *dilations;
  window.padding = *padding;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
    padForSameSize(mode == "SAME_UPPER");
  else if (mode == "VALID")
    window.padding.assign(2 * spatial, 0);
  else if (mode != "NOTSET")
    return node.emit.error() << "expected 'auto_pad' to be NOTSET, SAME_UPPER, SAME_LOWER or "
                                "VALID, got '"
                             << mode << "'";
  if (roundsUp)
    padForRoundingUp();
  if (spatial != 1)
    return window;
  // A sequence is an image of one row.
  window.sizes.insert(window.sizes.begin(), 1);
  window.strides.insert(window.strides.begin(), 1);
  window.dilations.insert(window.dilations.begin(), 1);
  window.padding = {0, window.padding[0], 0, window.padding[1]};
  return window;
}

/// Checks that there are at least one and at most `most` dimensions after batch and channels.
LogicalResult checkSpatial(Node &node, const Tensor &x, int64_t most = 2) {
  if (x.rank() >= 3 && x.rank() <= most + 2)
    return success();
  return node.emit.error() << "expected sequences"
                           << (most > 2 ? ", images or volumes" : " or images") << ", with 1 "
                           << (most > 2 ? "to" : "or") << " " << most
                           << " dimensions behind batch and channels, got " << x.type;
}

/// Returns a sequence as an image of one row; an image is unchanged.
Tensor asImage(Emitter &emit, const Tensor &x) {
  llvm::ArrayRef<int64_t> shape = x.shape();
  return x.rank() == 4 ? x : emit.reshape(x, {shape[0], shape[1], 1, shape[2]});
}

/// Returns the result of an image op in the rank of `like`.
Tensor asLike(Emitter &emit, const Tensor &image, const Tensor &like) {
  if (!image || like.rank() == 4)
    return image;
  llvm::ArrayRef<int64_t> shape = image.shape();
  return emit.reshape(image, {shape[0], shape[1], shape[3]});
}

/// Emits an op on images. `operands` has the input first; the result has `channels` channels.
template <typename Op>
Tensor applyWindow(Emitter &emit, llvm::ArrayRef<Tensor> operands, int64_t channels,
                   const ImageWindow &window, llvm::ArrayRef<NamedAttribute> others = {}) {
  llvm::ArrayRef<int64_t> shape = operands.front().shape();
  Shape result = {shape[0], channels};
  for (unsigned dim : {0, 1}) {
    int64_t size = window.get().getResultSize(dim, shape[dim + 2]);
    if (size < 1) {
      emit.error() << "expected a window that fits into " << operands.front().type
                   << " and its padding, got one of " << formatShape(window.sizes);
      return {};
    }
    result.push_back(size);
  }
  Builder &b = emit.attributes();
  llvm::SmallVector<NamedAttribute> attributes(others);
  for (auto [attribute, values] : {std::pair("strides", &window.strides),
                                   {"padding", &window.padding},
                                   {"dilations", &window.dilations}})
    attributes.push_back(b.getNamedAttr(attribute, b.getDenseI64ArrayAttr(*values)));
  Type type = RankedTensorType::get(result, operands.front().elementType());
  return emit.apply<Op>(type, operands, attributes).front();
}

LogicalResult importConv(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), weight = node.input(1), bias = node.input(2);
  if (failed(checkSpatial(node, x)))
    return failure();
  if (weight.rank() != x.rank())
    return emit.error() << "expected a weight of rank " << x.rank() << ", got " << weight.type;
  Shape kernel(weight.shape().drop_front(2));
  if (node.integers("kernel_shape").value_or(kernel) != kernel)
    return emit.error() << "expected 'kernel_shape' to be that of the weight, got "
                        << formatShape(*node.integers("kernel_shape")) << " and " << weight.type;
  int64_t group = node.integer("group", 1), outputs = weight.shape()[0];
  if (group < 1 || weight.shape()[1] * group != x.shape()[1] || outputs % group != 0)
    return emit.error() << "expected " << group << " groups of channels in input and weight, got "
                        << x.type << " and " << weight.type;
  auto window = WindowReader(node, x, kernel).read(/*roundsUp=*/false);
  if (failed(window))
    return failure();
  Tensor operands[] = {asImage(emit, x), asImage(emit, weight)};
  if (!operands[0] || !operands[1])
    return failure();
  Tensor result = asLike(emit, applyWindow<graph::Conv2dOp>(emit, operands, outputs, *window), x);
  if (result && bias) {
    Shape column(x.rank() - 1, 1);
    column[0] = outputs;
    if (bias.rank() != 1 || bias.shape()[0] != outputs)
      return emit.error() << "expected a bias of " << outputs << " numbers, got " << bias.type;
    result = emit.binary<graph::AddOp>(result, emit.reshape(bias, column));
  }
  return node.setResult(result);
}

/// Emits a pooling op over the windows of images.
template <typename Op>
Tensor poolImages(Emitter &emit, const Tensor &image, const ImageWindow &window,
                  llvm::ArrayRef<NamedAttribute> others = {}) {
  if (!image)
    return {};
  Builder &b = emit.attributes();
  llvm::SmallVector<NamedAttribute> attributes(others);
  attributes.push_back(b.getNamedAttr("window", b.getDenseI64ArrayAttr(window.sizes)));
  return applyWindow<Op>(emit, image, image.shape()[1], window, attributes);
}

/// Emits a pooling op over the windows of `x`, the node's input after possible padding.
template <typename Op>
Tensor applyPool(Node &node, const Tensor &x, const ImageWindow &window,
                 llvm::ArrayRef<NamedAttribute> others = {}) {
  Tensor image = asImage(node.emit, x);
  return asLike(node.emit, poolImages<Op>(node.emit, image, window, others), node.input(0));
}

/// Emits max pooling of volumes: the maxima within each layer, then the maxima along the layers.
Tensor poolVolumes(Emitter &emit, const Tensor &x, const ImageWindow &window) {
  Shape shape(x.shape());
  auto pair = [](const Shape &list) { return Shape{list[1], list[2]}; };
  const Shape &padding = window.padding;
  ImageWindow within = {pair(window.sizes),
                        pair(window.strides),
                        {padding[1], padding[2], padding[4], padding[5]},
                        pair(window.dilations)};
  ImageWindow along = {{window.sizes[0], 1},
                       {window.strides[0], 1},
                       {padding[0], 0, padding[3], 0},
                       {window.dilations[0], 1}};
  Tensor layers = poolImages<graph::MaxPoolOp>(
      emit, emit.reshape(x, {shape[0], shape[1] * shape[2], shape[3], shape[4]}), within);
  if (!layers)
    return {};
  int64_t rows = layers.shape()[2], columns = layers.shape()[3];
  Tensor volumes = poolImages<graph::MaxPoolOp>(
      emit, emit.reshape(layers, {shape[0], shape[1], shape[2], rows * columns}), along);
  if (!volumes)
    return {};
  return emit.reshape(volumes, {shape[0], shape[1], volumes.shape()[2], rows, columns});
}

/// Reads the window of a pooling node; with `roundsUp`, adds padding for rounding up.
FailureOr<ImageWindow> readPoolWindow(Node &node, bool roundsUp, int64_t maxDims = 2) {
  Tensor x = node.input(0);
  if (failed(checkSpatial(node, x, maxDims)))
    return failure();
  auto sizes = node.integers("kernel_shape");
  bool areSizes =
      sizes && static_cast<int64_t>(sizes->size()) == x.rank() - 2 &&
      llvm::all_of(*sizes, [](int64_t size) { return size >= 1 && size <= graph::maxWindow; });
  if (!areSizes)
    return node.emit.error() << "expected " << x.rank() - 2
                             << " numbers from 1 on in 'kernel_shape'";
  return WindowReader(node, x, *sizes).read(roundsUp);
}

LogicalResult importMaxPool(Node &node) {
  node.integer("storage_order", 0); // order of the indices, which are not a result here
  auto window = readPoolWindow(node, node.integer("ceil_mode", 0) != 0, /*maxDims=*/3);
  if (failed(window))
    return failure();
  Tensor x = node.input(0);
  return node.setResult(x.rank() == 5 ? poolVolumes(node.emit, x, *window)
                                      : applyPool<graph::MaxPoolOp>(node, x, *window));
}

/// Imports average pooling. With `count_include_pad` the attribute padding counts, but the padding
/// added for rounding up does not. In this case the attribute padding becomes part of the input.
LogicalResult importAveragePool(Node &node) {
  Emitter &emit = node.emit;
  bool roundsUp = node.integer("ceil_mode", 0) != 0;
  bool countsPadding = node.integer("count_include_pad", 0) != 0;
  auto window = readPoolWindow(node, false), rounded = readPoolWindow(node, roundsUp);
  if (failed(window) || failed(rounded))
    return failure();
  Tensor x = node.input(0);
  if (!countsPadding || rounded->padding == window->padding) {
    Builder &b = emit.attributes();
    llvm::SmallVector<NamedAttribute> attributes;
    if (countsPadding)
      attributes.push_back(b.getNamedAttr("count_include_pad", b.getUnitAttr()));
    return node.setResult(applyPool<graph::AvgPoolOp>(node, x, *rounded, attributes));
  }
  Tensor padded = asImage(emit, x);
  for (int64_t dim : {0, 1}) {
    padded = emit.pad(padded, dim + 2, window->padding[dim], window->padding[dim + 2], 0);
    rounded->padding[dim] = 0;
    rounded->padding[dim + 2] -= window->padding[dim + 2];
    if (!padded)
      return failure();
  }
  return node.setResult(applyPool<graph::AvgPoolOp>(node, padded, *rounded));
}

/// Reduces all dimensions after batch and channels, and keeps them with size 1.
template <graph::ReduceOpKind kind> LogicalResult importGlobalPool(Node &node) {
  Tensor x = node.input(0);
  if (x.rank() < 3)
    return node.emit.error() << "expected dimensions behind batch and channels, got " << x.type;
  Shape shape(x.shape());
  std::fill(shape.begin() + 2, shape.end(), 1);
  Tensor result = node.emit.reduce(kind, x, llvm::to_vector(llvm::seq<int64_t>(2, x.rank())));
  return node.setResult(node.emit.reshape(result, shape));
}

} // namespace

llvm::ArrayRef<Operator> windowOperators() {
  using Kind = graph::ReduceOpKind;
  static const Operator rows[] = {
      {"AveragePool", 1, 1, 1, FirstInput, importAveragePool},
      {"Conv", 1, 2, 3, AllInputs, importConv},
      {"GlobalAveragePool", 1, 1, 1, FirstInput, importGlobalPool<Kind::Mean>},
      {"GlobalMaxPool", 1, 1, 1, FirstInput, importGlobalPool<Kind::Max>},
      {"MaxPool", 1, 1, 1, FirstInput, importMaxPool},
  };
  return rows;
}

} // namespace pcc::import
