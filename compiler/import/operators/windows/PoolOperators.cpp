// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools. Pooling of volumes runs as two poolings of images: within each layer, and along the
// layers. Later versions of these operators only added attributes, so one row serves all versions.

#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/indexing/Scatter.h"
#include "compiler/import/operators/windows/Windows.h"
#include "llvm/ADT/Sequence.h"
#include <limits>
#include <numeric>

using namespace mlir;

namespace pcc::import {
namespace {

using Attributes = llvm::ArrayRef<NamedAttribute>;

/// Emits a pooling op over the windows of images.
template <typename Op>
Tensor poolImages(Emitter &emit, const Tensor &image, const ImageWindow &window,
                  Attributes others) {
  if (!image)
    return {};
  RankedTensorType type = windowResult(emit, image, image.shape()[1], window);
  if (!type)
    return {};
  Builder &b = emit.attributes();
  llvm::SmallVector<NamedAttribute> attributes = windowAttributes(emit, window);
  llvm::append_range(attributes, others);
  attributes.push_back(b.getNamedAttr("window", b.getDenseI64ArrayAttr(window.sizes)));
  return emit.apply<Op>(type, image, attributes).front();
}

/// Emits pooling of volumes. A mean of means is right: the padding of one dimension leaves out as
/// many elements at each place of the others.
template <typename Op>
Tensor poolVolumes(Emitter &emit, const Tensor &x, const ImageWindow &window, Attributes others) {
  Shape shape(x.shape());
  Tensor layers =
      poolImages<Op>(emit, emit.reshape(x, {shape[0], shape[1] * shape[2], shape[3], shape[4]}),
                     window.withinLayer(), others);
  if (!layers)
    return {};
  int64_t rows = layers.shape()[2], columns = layers.shape()[3];
  Tensor volumes =
      poolImages<Op>(emit, emit.reshape(layers, {shape[0], shape[1], shape[2], rows * columns}),
                     window.alongLayers(), others);
  if (!volumes)
    return {};
  return emit.reshape(volumes, {shape[0], shape[1], volumes.shape()[2], rows, columns});
}

/// Emits a pooling op over the windows of `x`, a sequence, images or volumes.
template <typename Op>
Tensor pool(Emitter &emit, const Tensor &x, const ImageWindow &window, Attributes others = {}) {
  if (!x)
    return {};
  if (x.rank() == 5)
    return poolVolumes<Op>(emit, x, window, others);
  return asLike(emit, poolImages<Op>(emit, asImage(emit, x), window, others), x);
}

/// Reads the window of a pooling node; with `roundsUp`, adds padding for rounding up.
FailureOr<ImageWindow> readPoolWindow(Node &node, bool roundsUp) {
  Tensor x = node.input(0);
  if (failed(checkSpatial(node, x)))
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

/// Makes the padding of `moved` part of `x`, and removes it from `window`.
Tensor padInput(Emitter &emit, Tensor x, const ImageWindow &moved, ImageWindow &window) {
  int64_t dims = moved.dims(), first = x.rank() == 3 ? 1 : 0;
  for (int64_t dim : llvm::seq(first, dims)) {
    int64_t low = moved.padding[dim], high = moved.padding[dim + dims];
    x = emit.pad(x, dim - first + 2, low, high, 0);
    window.padding[dim] -= low;
    window.padding[dim + dims] -= high;
  }
  return x;
}

/// Returns the places of the element `tap` of each window within the image, as numbers of elements.
Tensor tapPlaces(Emitter &emit, const ImageWindow &window, llvm::ArrayRef<int64_t> tap,
                 llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides) {
  Tensor sum;
  for (int64_t dim : llvm::seq(window.dims())) {
    llvm::SmallVector<int64_t> places;
    for (int64_t n : llvm::seq(sizes[dim]))
      places.push_back(
          (n * window.strides[dim] + tap[dim] * window.dilations[dim] - window.padding[dim]) *
          strides[dim]);
    Shape column(window.dims() - dim, 1);
    column[0] = sizes[dim];
    Tensor own = emit.reshape(Tensor::of(Constant::integers(emit.context(), places)), column);
    sum = dim == 0 ? own : emit.binary<graph::AddOp>(sum, own);
  }
  return sum;
}

/// Returns the part of the padded image under the element `tap` of all windows.
Tensor tapElements(Emitter &emit, Tensor padded, const ImageWindow &window,
                   llvm::ArrayRef<int64_t> tap, llvm::ArrayRef<int64_t> sizes) {
  for (int64_t dim : llvm::seq(window.dims()))
    padded = emit.slice(padded, dim + 2, tap[dim] * window.dilations[dim], window.strides[dim],
                        sizes[dim]);
  return padded;
}

/// Returns where the greatest elements of the windows are, as numbers of elements of `x`: the first
/// of equal ones. The places of a window are compared one after the other.
Tensor findGreatest(Emitter &emit, const Tensor &x, const ImageWindow &window, bool isColumnMajor) {
  Shape image(x.shape().drop_front(2)), sizes, strides(image.size(), 1);
  auto dims = static_cast<int64_t>(image.size());
  for (int64_t dim : llvm::seq(dims)) {
    sizes.push_back(window.get().getResultSize(dim, image[dim]));
    for (int64_t other : llvm::seq(dims))
      strides[dim] *= (isColumnMajor ? other < dim : other > dim) ? image[other] : 1;
  }
  if (!emit.allowsParts(window.sizes, "elements of a window with places") ||
      !llvm::all_of(sizes, [&](int64_t size) { return emit.allowsTable({size}); }))
    return {};
  constexpr double negativeInfinity = -std::numeric_limits<double>::infinity();
  Tensor padded = x, best, place;
  for (int64_t dim : llvm::seq(dims))
    padded = emit.pad(padded, dim + 2, window.padding[dim],
                      std::max<int64_t>(0, window.padding[dim + dims]), negativeInfinity);
  int64_t taps = ShapedType::getNumElements(window.sizes);
  for (int64_t number : llvm::seq(taps)) {
    Shape tap(dims, 0);
    for (int64_t dim = dims - 1, rest = number; dim >= 0; rest /= window.sizes[dim--])
      tap[dim] = rest % window.sizes[dim];
    Tensor elements = tapElements(emit, padded, window, tap, sizes);
    Tensor places = tapPlaces(emit, window, tap, sizes, strides);
    if (number == 0) {
      best = elements, place = places;
      continue;
    }
    Tensor isGreater = emit.compare(graph::Direction::GT, elements, best);
    place = emit.select(isGreater, places, place);
    best = emit.binary<graph::MaxOp>(best, elements);
    if (!best || !place)
      return {};
  }
  int64_t planes = x.shape()[0] * x.shape()[1], elements = ShapedType::getNumElements(image);
  Shape column = {x.shape()[0], x.shape()[1]};
  column.append(dims, 1);
  Tensor plane = emit.reshape(emit.iota(emit.attributes().getI64Type(), planes), column);
  Tensor start =
      emit.binary<graph::MulOp>(plane, emit.scalarLike(plane, static_cast<double>(elements)));
  return emit.binary<graph::AddOp>(start, place);
}

/// Imports MaxPool. Windows are of floats, so integers of 8 bits are pooled as f32.
LogicalResult importMaxPool(Node &node) {
  Emitter &emit = node.emit;
  bool isColumnMajor = node.integer("storage_order", 0) != 0;
  auto window = readPoolWindow(node, node.integer("ceil_mode", 0) != 0);
  if (failed(window))
    return failure();
  Tensor x = node.input(0);
  Type type = x.elementType();
  Tensor floats = type.isInteger(8) ? emit.cast(x, emit.attributes().getF32Type()) : x;
  Tensor result = emit.cast(pool<graph::MaxPoolOp>(emit, floats, *window), type);
  if (node.outputCount() < 2 || !result)
    return node.setResult(result);
  Tensor image = asImage(emit, floats);
  Tensor indices = image ? findGreatest(emit, image, *window, isColumnMajor) : Tensor();
  return node.setResults({result, emit.reshape(indices, result.shape())});
}

/// Returns the shape without padding that a pool with this window makes from `x`.
FailureOr<Shape> unpooledShape(Node &node, const Tensor &x) {
  auto sizes = node.integers("kernel_shape").value_or(Shape());
  if (failed(checkSpatial(node, x)))
    return failure();
  if (static_cast<int64_t>(sizes.size()) != x.rank() - 2)
    return node.emit.error() << "expected " << x.rank() - 2 << " numbers in 'kernel_shape'";
  WindowReader reader(node, x, sizes);
  if (!reader.readLists())
    return failure();
  Shape shape(x.shape());
  for (auto [dim, size] : llvm::enumerate(sizes))
    shape[dim + 2] = (x.shape()[dim + 2] - 1) * reader.window.strides[dim] + size -
                     reader.window.padding[dim] - reader.window.padding[dim + sizes.size()];
  if (!isAddressable(shape) || llvm::is_contained(shape, 0))
    return node.emit.error() << "expected a result with elements, got " << formatShape(shape);
  return shape;
}

/// Imports MaxUnpool: puts elements at their places among zeros. Overlapping windows name an
/// element several times, with equal values, so the sum at a place is divided by their number.
/// `output_shape` adds zeros at the end, since the places count the elements of the inferred shape.
LogicalResult importMaxUnpool(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), indices = node.input(1);
  auto shape = unpooledShape(node, x);
  auto given = node.optionalIntegers(2, "shape of the result");
  if (failed(shape) || failed(given))
    return failure();
  if (indices.shape() != x.shape())
    return emit.error() << "expected an index for each element of " << x.type << ", got "
                        << indices.type;
  int64_t count = x.type.getNumElements(), size = ShapedType::getNumElements(*shape);
  auto filled = [&](double value, int64_t length) {
    return emit.broadcast(emit.scalarLike(x, value), {length});
  };
  Tensor places = emit.reshape(emit.cast(indices, emit.attributes().getI64Type()), {count});
  Tensor sum =
      scatterRows(emit, filled(0.0, size), places, emit.reshape(x, {count}), /*adds=*/true);
  Tensor times = scatterRows(emit, filled(0.0, size), places, filled(1.0, count), /*adds=*/true);
  Tensor result = times ? emit.binary<graph::DivOp>(
                              sum, emit.binary<graph::MaxOp>(times, emit.scalarLike(x, 1.0)))
                        : Tensor();
  result = emit.reshape(result, *shape);
  if (!*given)
    return node.setResult(result);
  if ((*given)->size() != shape->size())
    return emit.error() << "expected a shape of " << shape->size() << " numbers, got "
                        << formatShape(**given);
  for (auto [dim, wanted] : llvm::enumerate(**given))
    result = emit.pad(result, static_cast<int64_t>(dim), 0, wanted - (*shape)[dim], 0.0);
  return node.setResult(result);
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
  llvm::SmallVector<NamedAttribute> attributes;
  if (countsPadding && rounded->padding != window->padding)
    x = padInput(emit, x, *window, *rounded);
  else if (countsPadding)
    attributes.push_back(
        emit.attributes().getNamedAttr("count_include_pad", emit.attributes().getUnitAttr()));
  return node.setResult(pool<graph::AvgPoolOp>(emit, x, *rounded, attributes));
}

/// Reads the order of a norm.
std::optional<double> readOrder(Node &node) {
  auto order = static_cast<double>(node.integer("p", 2));
  if (order >= 1)
    return order;
  node.emit.error() << "expected attribute 'p' to be at least 1, got " << int64_t(order);
  return std::nullopt;
}

/// Returns |x| to the power of `order`, and the inverse of that function for positive numbers.
Tensor power(Emitter &emit, const Tensor &x, double order) {
  if (order == 2)
    return emit.unary<graph::SquareOp>(x);
  Tensor magnitude = emit.unary<graph::AbsOp>(x);
  return order == 1 ? magnitude : emit.binary<graph::PowOp>(magnitude, emit.scalarLike(x, order));
}
Tensor root(Emitter &emit, const Tensor &x, double order) {
  if (order == 1 || !x)
    return x;
  return order == 2 ? emit.unary<graph::SqrtOp>(x)
                    : emit.binary<graph::PowOp>(x, emit.scalarLike(x, 1.0 / order));
}

/// Imports LpPool: the mean of each window, with zeros around the input, times its elements.
LogicalResult importLpPool(Node &node) {
  Emitter &emit = node.emit;
  auto order = readOrder(node);
  auto window = readPoolWindow(node, node.integer("ceil_mode", 0) != 0);
  if (!order || failed(window))
    return failure();
  ImageWindow moved = *window;
  Tensor terms = padInput(emit, power(emit, node.input(0), *order), moved, *window);
  Tensor mean = pool<graph::AvgPoolOp>(emit, terms, *window);
  if (!mean)
    return failure();
  auto count =
      std::accumulate(window->sizes.begin(), window->sizes.end(), 1.0, std::multiplies<double>());
  Tensor sum = emit.binary<graph::MulOp>(mean, emit.scalarLike(mean, count));
  return node.setResult(root(emit, sum, *order));
}

/// Reduces all dimensions after batch and channels, and keeps them with size 1.
LogicalResult globalPool(Node &node,
                         llvm::function_ref<Tensor(const Tensor &, const Shape &)> form) {
  Tensor x = node.input(0);
  if (x.rank() < 3)
    return node.emit.error() << "expected dimensions behind batch and channels, got " << x.type;
  Shape shape(x.shape());
  std::fill(shape.begin() + 2, shape.end(), 1);
  return node.setResult(
      node.emit.reshape(form(x, llvm::to_vector(llvm::seq<int64_t>(2, x.rank()))), shape));
}

template <graph::ReduceOpKind kind> LogicalResult importGlobalPool(Node &node) {
  return globalPool(
      node, [&](const Tensor &x, const Shape &dims) { return node.emit.reduce(kind, x, dims); });
}

LogicalResult importGlobalLpPool(Node &node) {
  auto order = readOrder(node);
  if (!order)
    return failure();
  return globalPool(node, [&](const Tensor &x, const Shape &dims) {
    Tensor terms = power(node.emit, x, *order);
    return root(node.emit, node.emit.reduce(graph::ReduceOpKind::Sum, terms, dims), *order);
  });
}

} // namespace

llvm::ArrayRef<Operator> poolOperators() {
  using Kind = graph::ReduceOpKind;
  static const Operator rows[] = {
      {"AveragePool", 1, 1, 1, FirstInput, importAveragePool},
      {"GlobalAveragePool", 1, 1, 1, FirstInput, importGlobalPool<Kind::Mean>},
      {"GlobalLpPool", 2, 1, 1, FirstInput, importGlobalLpPool},
      {"GlobalMaxPool", 1, 1, 1, FirstInput, importGlobalPool<Kind::Max>},
      {"LpPool", 2, 1, 1, FirstInput, importLpPool},
      {"MaxPool", 1, 1, 1, FirstInput, importMaxPool},
      {"MaxUnpool", 9, 2, 3, FirstInput, importMaxUnpool},
  };
  return rows;
}

} // namespace pcc::import
