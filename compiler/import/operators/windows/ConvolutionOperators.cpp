// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and their transposes. Later versions of these operators only added attributes, so
// one row serves all versions. A convolution of volumes is the sum of convolutions of images, one
// for each layer of the weight.

#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/windows/Convolutions.h"
#include "compiler/import/operators/windows/Windows.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Emits a convolution of images.
Tensor convolve(Emitter &emit, const Tensor &x, const Tensor &weight, const ImageWindow &window) {
  if (!x || !weight)
    return {};
  RankedTensorType type = windowResult(emit, x, weight.shape()[0], window);
  return type ? emit.apply<graph::Conv2dOp>(type, {x, weight}, windowAttributes(emit, window))[0]
              : Tensor();
}

/// Emits the transpose of a convolution: the gradient of its input, for images of `sizes`.
Tensor convolveTransposed(Emitter &emit, const Tensor &x, const Tensor &weight, int64_t channels,
                          const ImageWindow &window, llvm::ArrayRef<int64_t> sizes) {
  if (!x || !weight)
    return {};
  Type type = RankedTensorType::get({x.shape()[0], channels, sizes[0], sizes[1]}, x.elementType());
  return emit.apply<graph::Conv2dInputGradientOp>(type, {x, weight},
                                                  windowAttributes(emit, window))[0];
}

/// Returns volumes with layers before channels.
Tensor layersFirst(Emitter &emit, const Tensor &x) { return emit.transpose(x, {0, 2, 1, 3, 4}); }

/// Returns the layers of volumes as images: merges the first two dimensions.
Tensor asImages(Emitter &emit, const Tensor &x) {
  if (!x)
    return {};
  llvm::ArrayRef<int64_t> shape = x.shape();
  return emit.reshape(x, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
}

/// Returns images as volumes of `batch` samples, with layers first.
Tensor asVolumes(Emitter &emit, const Tensor &x, int64_t batch) {
  if (!x)
    return {};
  llvm::ArrayRef<int64_t> shape = x.shape();
  return emit.reshape(x, {batch, shape[0] / batch, shape[1], shape[2], shape[3]});
}

/// Returns layer `index` of the weight of volumes.
Tensor weightLayer(Emitter &emit, const Tensor &weight, int64_t index) {
  llvm::ArrayRef<int64_t> shape = weight.shape();
  return emit.reshape(emit.slice(weight, 2, index, 1, 1), {shape[0], shape[1], shape[3], shape[4]});
}

Tensor convolveVolumes(Emitter &emit, const Tensor &x, const Tensor &weight,
                       const ImageWindow &window) {
  int64_t count = window.alongLayers().get().getResultSize(0, x.shape()[2]);
  if (count < 1) {
    emit.error() << "expected a window that fits into " << x.type << " and its padding, got one of "
                 << formatShape(window.sizes);
    return {};
  }
  if (!emit.allowsParts({window.sizes[0]}, "layers of a kernel"))
    return {};
  Tensor padded = emit.pad(x, 2, window.padding[0], window.padding[3], 0.0);
  Tensor layers = layersFirst(emit, padded), sum;
  for (int64_t index : llvm::seq(window.sizes[0])) {
    Tensor seen = emit.slice(layers, 1, index * window.dilations[0], window.strides[0], count);
    Tensor term = convolve(emit, asImages(emit, seen), weightLayer(emit, weight, index),
                           window.withinLayer());
    sum = index == 0 ? term : emit.binary<graph::AddOp>(sum, term);
  }
  return layersFirst(emit, asVolumes(emit, sum, x.shape()[0]));
}

/// Adds a bias of one number for each channel; a null bias adds nothing.
FailureOr<Tensor> addBias(Emitter &emit, const Tensor &result, const Tensor &bias) {
  if (!result || !bias)
    return result;
  int64_t channels = result.shape()[1];
  if (bias.rank() != 1 || bias.shape()[0] != channels)
    return emit.error() << "expected a bias of " << channels << " numbers, got " << bias.type;
  Shape column(result.rank() - 1, 1);
  column[0] = channels;
  return emit.binary<graph::AddOp>(result, emit.reshape(bias, column));
}

/// Checks the weight's rank and kernel, and returns its spatial sizes.
FailureOr<Shape> readKernel(Node &node, const Tensor &x, const Tensor &weight) {
  if (failed(checkSpatial(node, x)))
    return failure();
  if (weight.rank() != x.rank())
    return node.emit.error() << "expected a weight of rank " << x.rank() << ", got " << weight.type;
  Shape kernel(weight.shape().drop_front(2));
  if (node.integers("kernel_shape").value_or(kernel) != kernel)
    return node.emit.error() << "expected 'kernel_shape' to be that of the weight, got "
                             << formatShape(*node.integers("kernel_shape")) << " and "
                             << weight.type;
  return kernel;
}

} // namespace

FailureOr<Tensor> emitConvolution(Node &node, const Tensor &x, const Tensor &weight) {
  Emitter &emit = node.emit;
  auto kernel = readKernel(node, x, weight);
  if (failed(kernel))
    return failure();
  int64_t group = node.integer("group", 1), outputs = weight.shape()[0];
  if (group < 1 || weight.shape()[1] * group != x.shape()[1] || outputs % group != 0)
    return emit.error() << "expected " << group << " groups of channels in input and weight, got "
                        << x.type << " and " << weight.type;
  auto window = WindowReader(node, x, *kernel).read(/*roundsUp=*/false);
  if (failed(window))
    return failure();
  Tensor result =
      x.rank() == 5
          ? convolveVolumes(emit, x, weight, *window)
          : asLike(emit, convolve(emit, asImage(emit, x), asImage(emit, weight), *window), x);
  if (!result)
    return failure();
  return result;
}

namespace {

LogicalResult importConv(Node &node) {
  auto result = emitConvolution(node, node.input(0), node.input(1));
  if (failed(result))
    return failure();
  auto sum = addBias(node.emit, *result, node.input(2));
  return succeeded(sum) ? node.setResult(*sum) : failure();
}

/// Window and result sizes of a transposed convolution: `full` without padding, `sizes` after
/// `window.padding` was cut off and `extra` was added at the end.
struct TransposedWindow {
  ImageWindow window;
  Shape full, sizes, extra;

  /// Returns what is cut off the full result; negative numbers add zeros.
  Shape cuts() const;
  /// Returns true if the op itself can cut: the last window still begins inside the result.
  bool isPadding() const;
};

Shape TransposedWindow::cuts() const {
  Shape cuts(window.padding);
  for (auto [dim, size] : llvm::enumerate(extra))
    cuts[dim + extra.size()] -= size;
  return cuts;
}

bool TransposedWindow::isPadding() const {
  return llvm::all_of(window.padding, [](int64_t size) { return size >= 0; }) &&
         llvm::all_of(llvm::zip_equal(extra, window.strides),
                      [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); });
}

/// Reads the padding of a transposed convolution; its result may be given instead.
FailureOr<TransposedWindow> readTransposed(Node &node, const Tensor &x, const Shape &kernel) {
  WindowReader reader(node, x, kernel);
  int64_t dims = x.rank() - 2;
  auto extra = reader.list("output_padding", dims, 0, 0);
  bool isSized = node.hasAttribute("output_shape");
  auto given = reader.list("output_shape", dims, 1, 1);
  if (!extra || !given || !reader.readLists())
    return failure();
  auto mode = reader.readAutoPad();
  if (!mode)
    return failure();
  bool isSame = *mode == "SAME_UPPER" || *mode == "SAME_LOWER";
  ImageWindow &window = reader.window;
  TransposedWindow result;
  for (int64_t dim : llvm::seq(dims)) {
    int64_t size = x.shape()[dim + 2];
    int64_t full = window.strides[dim] * (size - 1) + window.extent(dim);
    int64_t &low = window.padding[dim], &high = window.padding[dim + dims];
    if (isSized || isSame) {
      int64_t wanted = isSized ? (*given)[dim] : size * window.strides[dim];
      int64_t total = full + (*extra)[dim] - wanted;
      low = std::max<int64_t>(0, *mode == "SAME_UPPER" ? total / 2 : total - total / 2);
      high = total - low;
    } else if (*mode == "VALID") {
      low = high = 0;
    }
    result.full.push_back(full);
    result.sizes.push_back(full + (*extra)[dim] - low - high);
    if (result.sizes.back() < 1)
      return node.emit.error() << "expected a result with elements, got sizes "
                               << formatShape(result.sizes);
  }
  result.window = window;
  result.extra = *extra;
  return result;
}

/// Emits the transpose of a convolution of volumes: spreads the results of each layer of the weight
/// over the layers of the result, and adds them.
Tensor convolveVolumesTransposed(Emitter &emit, const Tensor &x, const Tensor &weight,
                                 int64_t channels, const TransposedWindow &how) {
  const ImageWindow &window = how.window;
  if (!emit.allowsParts({window.sizes[0]}, "layers of a kernel"))
    return {};
  ImageWindow within = window.withinLayer();
  within.padding.assign(4, 0);
  Tensor images = asImages(emit, layersFirst(emit, x)), sum;
  for (int64_t index : llvm::seq(window.sizes[0])) {
    Tensor term = convolveTransposed(emit, images, weightLayer(emit, weight, index), channels,
                                     within, llvm::ArrayRef(how.full).drop_front());
    term = asVolumes(emit, term, x.shape()[0]);
    if (!term)
      return {};
    term = spread(emit, term, 1, window.strides[0], index * window.dilations[0], how.full[0]);
    sum = index == 0 ? term : emit.binary<graph::AddOp>(sum, term);
  }
  return layersFirst(emit, sum);
}

/// Cuts off the spatial dimensions of `x`; negative cuts add zeros.
Tensor cut(Emitter &emit, Tensor x, const TransposedWindow &how) {
  Shape cuts = how.cuts();
  int64_t dims = static_cast<int64_t>(cuts.size()) / 2;
  for (int64_t dim : llvm::seq(dims))
    x = emit.pad(x, dim + 2, -cuts[dim], -cuts[dim + dims], 0.0);
  return x;
}

/// Emits the transpose of a convolution of sequences, images or volumes.
Tensor convolveTransposed(Emitter &emit, const Tensor &x, const Tensor &weight, int64_t channels,
                          const TransposedWindow &how) {
  if (x.rank() == 5)
    return cut(emit, convolveVolumesTransposed(emit, x, weight, channels, how), how);
  ImageWindow window = how.window;
  if (!how.isPadding())
    llvm::fill(window.padding, 0);
  Shape sizes = how.isPadding() ? how.sizes : how.full;
  if (x.rank() == 3)
    sizes.insert(sizes.begin(), 1);
  Tensor image = convolveTransposed(emit, asImage(emit, x), asImage(emit, weight), channels,
                                    asImageWindow(window), sizes);
  Tensor result = asLike(emit, image, x);
  return how.isPadding() ? result : cut(emit, result, how);
}

LogicalResult importConvTranspose(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), weight = node.input(1);
  auto kernel = readKernel(node, x, weight);
  if (failed(kernel))
    return failure();
  int64_t group = node.integer("group", 1), channels = weight.shape()[1] * group;
  if (group < 1 || weight.shape()[0] != x.shape()[1] || x.shape()[1] % group != 0)
    return emit.error() << "expected " << group << " groups of channels in input and weight, got "
                        << x.type << " and " << weight.type;
  auto how = readTransposed(node, x, *kernel);
  if (failed(how))
    return failure();
  Tensor result = convolveTransposed(emit, x, weight, channels, *how);
  auto sum = addBias(emit, result, node.input(2));
  return succeeded(sum) ? node.setResult(*sum) : failure();
}

/// Imports Col2Im: adds the blocks to the image at their places, one position in the blocks after
/// the other.
LogicalResult importCol2Im(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto image = node.knownIntegers(1, "shape of the image"),
       block = node.knownIntegers(2, "shape of the blocks");
  if (!image || !block)
    return failure();
  auto dims = static_cast<int64_t>(image->size());
  if (!emit.allowsParts(*block, "elements of a block"))
    return failure();
  int64_t taps = ShapedType::getNumElements(*block);
  if (x.rank() != 3 || static_cast<int64_t>(block->size()) != dims || taps < 1 ||
      x.shape()[1] % taps != 0)
    return emit.error() << "expected blocks of shape " << formatShape(*block) << " for images of "
                        << dims << " dimensions, got " << x.type;
  Shape imageShape = {x.shape()[0], x.shape()[1] / taps};
  llvm::append_range(imageShape, *image);
  Tensor like = x;
  like.type = x.type.clone(imageShape);
  WindowReader reader(node, like, *block);
  if (!reader.readLists())
    return failure();
  const ImageWindow &window = reader.window;
  Shape apart = {imageShape[0], imageShape[1], taps};
  for (int64_t dim : llvm::seq(dims))
    apart.push_back(window.get().getResultSize(dim, (*image)[dim]));
  Tensor blocks = emit.reshape(x, apart), sum;
  for (int64_t tap = 0, rest = 0; blocks && tap < taps; ++tap) {
    Shape shape(apart);
    shape.erase(shape.begin() + 2);
    Tensor term = emit.reshape(emit.slice(blocks, 2, tap, 1, 1), shape);
    rest = tap;
    for (int64_t dim = dims - 1; dim >= 0; --dim) {
      int64_t place = rest % (*block)[dim] * window.dilations[dim];
      term = spread(emit, term, dim + 2, window.strides[dim], place - window.padding[dim],
                    (*image)[dim]);
      rest /= (*block)[dim];
      if (!term)
        return failure();
    }
    sum = tap == 0 ? term : emit.binary<graph::AddOp>(sum, term);
  }
  return node.setResult(sum);
}

} // namespace

llvm::ArrayRef<Operator> convolutionOperators() {
  static const Operator rows[] = {
      {"Col2Im", 18, 3, 3, FirstInput, importCol2Im},
      {"Conv", 1, 2, 3, AllInputs, importConv},
      {"ConvTranspose", 1, 2, 3, AllInputs, importConvTranspose},
  };
  return rows;
}

} // namespace pcc::import
