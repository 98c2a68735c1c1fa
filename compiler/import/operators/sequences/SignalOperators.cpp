// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DFT, STFT and MelWeightMatrix. A Fourier transform of n numbers is a matmul with a matrix of
// cosines and one of sines. Greater sizes n = a b become transforms of a and of b numbers, with
// factors of magnitude 1 in between (Cooley and Tukey). All other dimensions stay apart, so they
// may be split.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>
#include <numbers>

using namespace mlir;

namespace pcc::import {
namespace {

using graph::AddOp, graph::MulOp, graph::SubOp;

/// Greatest transform that is one matmul, and greatest one of a size that has no factors.
constexpr int64_t maxMatrix = 256, maxPrime = 4096;
/// Greatest transform of any size, and maximum number of elements of all frames of a signal. Both
/// bound tables that are computed at import.
constexpr int64_t maxTransform = int64_t(1) << 22, maxFrameElements = int64_t(1) << 24;

/// Complex numbers; a null imaginary part is zero.
struct Complex {
  Tensor real, imaginary;
};

/// Returns the element (row, column) of a matrix of numbers for each place.
Tensor matrixOf(Emitter &emit, Type type, int64_t rows, int64_t columns,
                llvm::function_ref<double(int64_t, int64_t)> element) {
  llvm::SmallVector<double> numbers;
  for (int64_t row : llvm::seq(rows))
    for (int64_t column : llvm::seq(columns))
      numbers.push_back(element(row, column));
  auto wide = RankedTensorType::get({rows, columns}, Float64Type::get(emit.context()));
  values::Tensor all = values::Tensor::floats(values::ElementType::F64, {rows, columns}, numbers);
  return emit.cast(Tensor::of(Constant::of(wide, all)), type);
}

/// Fourier transforms along the last dimension, without a factor.
class Transform {
public:
  Transform(Emitter &emit, bool isInverse) : emit(emit), direction(isInverse ? 1.0 : -1.0) {}

  Complex run(const Complex &x);

private:
  Complex roots(Type type, int64_t rows, int64_t columns, int64_t size);
  Complex multiply(const Complex &x, const Complex &y, bool isMatrix);
  Complex runParts(const Complex &x, int64_t parts);
  Complex map(const Complex &x, llvm::function_ref<Tensor(const Tensor &)> form) {
    return {form(x.real), x.imaginary ? form(x.imaginary) : Tensor()};
  }

  Emitter &emit;
  double direction;
};

/// Returns the powers row * column of the root of unity of `size`.
Complex Transform::roots(Type type, int64_t rows, int64_t columns, int64_t size) {
  auto angle = [size](int64_t row, int64_t column) {
    return 2 * std::numbers::pi * double(row * column % size) / double(size);
  };
  auto cosine = [&](int64_t row, int64_t column) { return std::cos(angle(row, column)); };
  auto sine = [&](int64_t row, int64_t column) { return direction * std::sin(angle(row, column)); };
  return {matrixOf(emit, type, rows, columns, cosine), matrixOf(emit, type, rows, columns, sine)};
}

/// Returns the product of `x` and `y`, of elements or with a matrix.
Complex Transform::multiply(const Complex &x, const Complex &y, bool isMatrix) {
  auto product = [&](const Tensor &a, const Tensor &b) {
    return isMatrix ? emit.matmul(a, b) : emit.binary<MulOp>(a, b);
  };
  if (!x.imaginary)
    return {product(x.real, y.real), product(x.real, y.imaginary)};
  return {emit.binary<SubOp>(product(x.real, y.real), product(x.imaginary, y.imaginary)),
          emit.binary<AddOp>(product(x.real, y.imaginary), product(x.imaginary, y.real))};
}

/// Returns the greatest factor of `size` that is at most its root.
int64_t factorOf(int64_t size) {
  auto factor = static_cast<int64_t>(std::sqrt(static_cast<double>(size)));
  while (size % factor != 0)
    --factor;
  return factor;
}

/// Transforms rows of `parts` numbers, then columns, and writes the result by columns.
Complex Transform::runParts(const Complex &x, int64_t parts) {
  int64_t size = x.real.shape().back(), rest = size / parts, rank = x.real.rank();
  Shape shape(x.real.shape()), swap = llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
  shape.back() = parts;
  shape.push_back(rest);
  std::swap(swap[rank - 1], swap[rank]);
  auto transpose = [&](const Tensor &part) { return emit.transpose(part, swap); };
  auto split = [&](const Tensor &part) { return transpose(emit.reshape(part, shape)); };
  auto join = [&](const Tensor &part) { return emit.reshape(transpose(part), x.real.shape()); };
  Complex inner = run(map(x, split));
  if (!inner.real || !inner.imaginary)
    return {};
  Type type = x.real.elementType();
  Complex turned = multiply(inner, roots(type, rest, parts, size), /*isMatrix=*/false);
  if (!turned.real || !turned.imaginary)
    return {};
  Complex outer = run(map(turned, transpose));
  return outer.real && outer.imaginary ? map(outer, join) : Complex();
}

Complex Transform::run(const Complex &x) {
  int64_t size = x.real.shape().back(), factor = factorOf(size);
  if (size > maxMatrix && factor > 1)
    return runParts(x, factor);
  if (size > maxPrime) {
    emit.error() << "expected a transform of at most " << maxPrime
                 << " numbers, or of a number with factors, got " << size;
    return {};
  }
  Tensor like = x.real;
  Complex matrix = roots(like.elementType(), size, size, size);
  if (like.rank() > 1)
    return multiply(x, matrix, /*isMatrix=*/true);
  auto asRow = [&](const Tensor &part) { return emit.reshape(part, {1, size}); };
  auto asList = [&](const Tensor &part) { return emit.reshape(part, {size}); };
  return map(multiply(map(x, asRow), matrix, /*isMatrix=*/true), asList);
}

/// Cuts or fills up the last dimension with zeros.
Tensor resize(Emitter &emit, const Tensor &x, int64_t size) {
  int64_t last = x.rank() - 1;
  return emit.pad(x, last, 0, size - x.shape()[last], 0.0);
}

/// Returns all `size` numbers of the spectrum of a real signal. Of the numbers that are their own
/// conjugates only the real part counts.
Complex fullSpectrum(Emitter &emit, const Complex &half, int64_t size) {
  llvm::SmallVector<int64_t> sources;
  for (int64_t k : llvm::seq(size))
    sources.push_back(2 * k <= size ? k : size - k);
  Tensor indices = Tensor::of(Constant::integers(emit.context(), sources));
  int64_t last = half.real.rank() - 1;
  auto sign = [size](int64_t, int64_t k) {
    return k == 0 || 2 * k == size ? 0.0 : 2 * k < size ? 1.0 : -1.0;
  };
  Tensor signs = emit.reshape(matrixOf(emit, half.real.elementType(), 1, size, sign), {size});
  return {emit.gather(half.real, indices, last),
          half.imaginary ? emit.binary<MulOp>(emit.gather(half.imaginary, indices, last), signs)
                         : Tensor()};
}

/// Options of a transform along the last dimension.
struct TransformKind {
  int64_t size;
  bool isInverse, isOneSided;
};

/// Emits a transform of one size. A one-sided inverse has a real result only.
Complex transformLast(Emitter &emit, Complex x, const TransformKind &kind) {
  bool fromHalf = kind.isInverse && kind.isOneSided;
  int64_t half = kind.size / 2 + 1;
  for (Tensor *part : {&x.real, &x.imaginary})
    if (*part)
      *part = resize(emit, *part, fromHalf ? half : kind.size);
  if (fromHalf && x.real)
    x = fullSpectrum(emit, x, kind.size);
  Complex result = x.real ? Transform(emit, kind.isInverse).run(x) : Complex();
  if (!result.real || !result.imaginary)
    return {};
  if (fromHalf)
    result.imaginary = {};
  int64_t last = result.real.rank() - 1;
  for (Tensor *part : {&result.real, &result.imaginary}) {
    if (*part && kind.isInverse)
      *part = emit.binary<MulOp>(*part, emit.scalarLike(*part, 1.0 / double(kind.size)));
    if (*part && kind.isOneSided && !kind.isInverse)
      *part = emit.slice(*part, last, 0, 1, half);
  }
  return result;
}

/// Transforms `x`, whose last dimension has the real and the imaginary part, along `axis`.
Tensor transformAlong(Emitter &emit, const Tensor &x, int64_t axis, const TransformKind &kind) {
  int64_t last = x.rank() - 1;
  Shape order = llvm::to_vector(llvm::seq<int64_t>(0, last)), back(last, 0);
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
  for (auto [place, dim] : llvm::enumerate(order))
    back[dim] = static_cast<int64_t>(place);
  Tensor numbers = emit.cast(x, graph::accumulatorOf(x.elementType()));
  auto part = [&](int64_t index) {
    Tensor one = emit.reshape(emit.slice(numbers, last, index, 1, 1), x.shape().drop_back());
    return emit.transpose(one, order);
  };
  Complex parts = {part(0), x.shape()[last] == 2 ? part(1) : Tensor()};
  Complex result = parts.real ? transformLast(emit, parts, kind) : Complex();
  if (!result.real)
    return {};
  llvm::SmallVector<Tensor> pieces;
  for (const Tensor &piece : {result.real, result.imaginary})
    if (piece) {
      Tensor moved = emit.transpose(piece, back);
      Shape shape(moved.shape());
      shape.push_back(1);
      pieces.push_back(emit.reshape(moved, shape));
    }
  return emit.cast(emit.concat(pieces, last), x.elementType());
}

/// Returns the number that the input has; `otherwise` if it is absent.
std::optional<int64_t> readNumber(Node &node, size_t position, llvm::StringRef what,
                                  int64_t otherwise) {
  auto numbers = node.optionalIntegers(position, what);
  if (failed(numbers))
    return std::nullopt;
  if (!*numbers)
    return otherwise;
  if ((*numbers)->size() == 1)
    return (*numbers)->front();
  node.emit.error() << "expected one number as the " << what << ", got " << formatShape(**numbers);
  return std::nullopt;
}

/// Checks that the last dimension of floats has a real and maybe an imaginary part.
bool checkNumbers(Node &node, const Tensor &x) {
  if (isa<FloatType>(x.elementType()) && x.rank() >= 2 && x.type.getNumElements() > 0 &&
      (x.shape().back() == 1 || x.shape().back() == 2))
    return true;
  node.emit.error() << "expected floats with one or two numbers in the last dimension, got "
                    << x.type;
  return false;
}

LogicalResult importDft(Node &node, int64_t number) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  if (!checkNumbers(node, x))
    return failure();
  auto axis = node.checkAxis(number, x.rank());
  if (!axis)
    return failure();
  if (*axis == x.rank() - 1)
    return emit.error() << "expected an axis before the last one of " << x.type << ", got "
                        << number;
  TransformKind kind = {0, node.integer("inverse", 0) != 0, node.integer("onesided", 0) != 0};
  bool isComplex = x.shape().back() == 2, fromHalf = kind.isInverse && kind.isOneSided;
  if (kind.isOneSided && isComplex != kind.isInverse)
    return emit.error() << "expected " << (kind.isInverse ? "complex" : "real")
                        << " numbers for a one-sided " << (kind.isInverse ? "inverse " : "")
                        << "transform, got " << x.type;
  int64_t present = x.shape()[*axis];
  auto size =
      readNumber(node, 1, "length of the transform", fromHalf ? 2 * (present - 1) : present);
  if (!size)
    return failure();
  if (*size < 1 || *size > maxTransform)
    return emit.error() << "expected a transform of 1 to " << int64_t(maxTransform)
                        << " numbers, got " << *size;
  kind.size = *size;
  return node.setResult(transformAlong(emit, x, *axis, kind));
}

LogicalResult importDftAttribute(Node &node) { return importDft(node, node.integer("axis", 1)); }

LogicalResult importDftInput(Node &node) {
  auto axis = readNumber(node, 2, "axis", -2);
  return axis ? importDft(node, *axis) : failure();
}

/// Imports STFT: a gather of overlapping frames, and their transforms.
LogicalResult importStft(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), window = node.input(2);
  if (!checkNumbers(node, x))
    return failure();
  if (x.rank() != 3 || (window && window.rank() != 1))
    return emit.error() << "expected a signal of three dimensions and a window of one, got "
                        << x.type << (window ? " and " : "") << (window ? window.type : Type());
  int64_t length = x.shape()[1];
  auto step = readNumber(node, 1, "step between frames", 1);
  auto size = readNumber(node, 3, "length of a frame", window ? window.shape()[0] : length);
  bool isOneSided = node.integer("onesided", 1) != 0;
  if (!step || !size)
    return failure();
  if (*step < 1 || *size < 1 || *size > length || (window && window.shape()[0] != *size))
    return emit.error() << "expected a positive step, and frames of the length of the window "
                           "within "
                        << x.type << ", got step " << *step << " and length " << *size;
  if (isOneSided && x.shape()[2] == 2)
    return emit.error() << "expected real numbers for a one-sided transform, got " << x.type;
  int64_t frames = (length - *size) / *step + 1;
  if (*size > maxTransform || frames > maxFrameElements / *size)
    return emit.error() << "expected frames of at most " << int64_t(maxFrameElements)
                        << " elements, got " << frames << " of " << *size;
  llvm::SmallVector<int64_t> places;
  for (int64_t frame : llvm::seq(frames))
    for (int64_t n : llvm::seq(*size))
      places.push_back(frame * *step + n);
  Tensor indices =
      emit.reshape(Tensor::of(Constant::integers(emit.context(), places)), {frames, *size});
  Tensor cut = emit.gather(x, indices, 1);
  if (window && cut)
    cut = emit.binary<MulOp>(cut, emit.reshape(window, {*size, 1}));
  return node.setResult(cut ? transformAlong(emit, cut, 2, {*size, false, isOneSided}) : Tensor());
}

/// Imports MelWeightMatrix, whose inputs are known: triangles between whole frequencies, which are
/// equally spaced on the mel scale.
LogicalResult importMelWeights(Node &node) {
  Emitter &emit = node.emit;
  constexpr llvm::StringLiteral names[] = {"number of bands", "length of the transform",
                                           "rate of samples", "lower frequency", "upper frequency"};
  llvm::SmallVector<double, 5> inputs;
  for (auto [position, name] : llvm::enumerate(names)) {
    auto numbers = node.knownNumbers(position, name);
    if (!numbers)
      return failure();
    if (numbers->size() != 1)
      return emit.error() << "expected one number as the " << name << ", got " << numbers->size();
    inputs.push_back(numbers->front());
  }
  auto number = static_cast<int32_t>(node.integer("output_datatype", 1));
  Type type = elementTypeOf(number, *emit.context());
  if (!type)
    return emit.error() << "elements of ONNX type number " << number << " are not supported";
  auto bands = static_cast<int64_t>(inputs[0]), size = static_cast<int64_t>(inputs[1]);
  int64_t rows = size / 2 + 1;
  auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double low = toMel(inputs[3]), step = (toMel(inputs[4]) - low) / (inputs[0] + 2);
  bool isSensible = bands > 0 && size > 0 && inputs[2] > 0 && inputs[3] >= 0 && step >= 0 &&
                    isAddressable({rows, bands}) && rows * bands <= Emitter::maxFoldedElements;
  if (!isSensible)
    return emit.error() << "expected positive numbers and rising frequencies, and a matrix of at "
                           "most "
                        << int64_t(Emitter::maxFoldedElements) << " elements";
  auto edge = [&](int64_t index) {
    double hertz = 700 * (std::pow(10.0, (low + double(index) * step) / 2595) - 1);
    return std::floor(double(size + 1) * hertz / inputs[2]);
  };
  Tensor weights = matrixOf(emit, type, rows, bands, [&](int64_t row, int64_t band) {
    double left = edge(band), center = edge(band + 1), right = edge(band + 2), at = double(row);
    if (at == center)
      return 1.0;
    if (at < left || at > right)
      return 0.0;
    return at < center ? (at - left) / (center - left) : (right - at) / (right - center);
  });
  return node.setResult(weights);
}

} // namespace

llvm::ArrayRef<Operator> signalOperators() {
  constexpr auto signalAndWindow = static_cast<Gradients>(FirstInput | ThirdInput);
  static const Operator rows[] = {
      {"DFT", 17, 1, 2, FirstInput, importDftAttribute},
      {"DFT", 20, 1, 3, FirstInput, importDftInput},
      {"MelWeightMatrix", 17, 5, 5, NoGradient, importMelWeights},
      {"STFT", 17, 2, 4, signalAndWindow, importStft},
  };
  return rows;
}

} // namespace pcc::import
