// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on quantized numbers: a real number is (integer - zero point) * scale. Scales and zero
// points are one number, one for each index along an axis, or one for each block along an axis.
//
// Products of quantized numbers are exact: matrices are multiplied as i32, images are convolved as
// f64.

#include "compiler/import/files/NarrowTypes.h"
#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/NarrowCasts.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/windows/Convolutions.h"
#include <cmath>

using namespace mlir;

namespace pcc::import {
namespace {

using Kind = graph::ReduceOpKind;

/// Returns scales or zero points in a shape that broadcasts to that of `x`, as `axis` and
/// `block_size` say.
class Spread {
public:
  Spread(Node &node, const Tensor &x)
      : emit(node.emit), node(node), x(x), axis(node.integer("axis", 1)),
        block(node.integer("block_size", 0)) {}

  Tensor operator()(const Tensor &values) {
    if (!values || values.type.getNumElements() == 1)
      return values ? emit.reshape(values, {}) : values;
    auto dim = node.checkAxis(axis, x.rank());
    if (!dim)
      return {};
    if (values.rank() == 1 && block == 0 && values.shape()[0] == x.shape()[*dim])
      return alongAxis(values, *dim);
    if (values.rank() == x.rank() && block > 0)
      return inBlocks(values, *dim);
    emit.error() << "expected one number, one for each index along axis " << *dim
                 << ", or one for each block of 'block_size' there, got " << values.type << " for "
                 << x.type;
    return {};
  }

private:
  Tensor alongAxis(const Tensor &values, int64_t dim) {
    Shape shape(x.rank(), 1);
    shape[dim] = values.shape()[0];
    return emit.reshape(values, shape);
  }

  /// Repeats each number along its block; the last block may be shorter.
  Tensor inBlocks(const Tensor &values, int64_t dim) {
    Shape apart(values.shape()), merged(values.shape());
    apart.insert(apart.begin() + dim + 1, 1);
    Tensor blocks = emit.reshape(values, apart);
    apart[dim + 1] = block;
    merged[dim] *= block;
    Tensor repeated = emit.reshape(emit.broadcast(blocks, apart), merged);
    if (!repeated || merged[dim] < x.shape()[dim]) {
      emit.error() << "expected blocks for all " << x.shape()[dim] << " indices along axis " << dim
                   << ", got " << values.type << " and blocks of " << block;
      return {};
    }
    return emit.slice(repeated, dim, 0, 1, x.shape()[dim]);
  }

  Emitter &emit;
  Node &node;
  const Tensor &x;
  int64_t axis, block;
};

/// Returns the type that an attribute names, or `otherwise` if it is absent or zero; null after an
/// error.
Type readType(Node &node, llvm::StringRef name, Type otherwise) {
  int64_t number = node.integer(name, 0);
  if (number == 0)
    return otherwise;
  Type type = elementTypeOf(static_cast<int32_t>(number), *node.emit.context());
  if (!type)
    node.emit.error() << "elements of ONNX type number " << number << " are not supported";
  return type;
}

/// Adds the zero point to whole numbers of float, and limits them to the range of the integer type
/// `type`.
Tensor saturate(Emitter &emit, Tensor whole, const Tensor &zero, Type type) {
  if (zero)
    whole = emit.binary<graph::AddOp>(whole, emit.cast(zero, whole.elementType()));
  if (!whole)
    return {};
  auto integer = cast<IntegerType>(type);
  unsigned width = integer.getWidth();
  bool isUnsigned = integer.isUnsigned();
  double least = isUnsigned ? 0.0 : -std::ldexp(1.0, int(width) - 1);
  double greatest = std::ldexp(1.0, int(isUnsigned ? width : width - 1)) - 1;
  Tensor raised = emit.binary<graph::MaxOp>(whole, emit.scalarLike(whole, least));
  Tensor limited = emit.binary<graph::MinOp>(raised, emit.scalarLike(whole, greatest));
  return castToStored(emit, limited, type);
}

/// Checks that quantized numbers are integers of at most 16 bits, which are whole numbers of f32,
/// or narrow floats.
LogicalResult checkQuantized(Emitter &emit, Type type) {
  if (type && isa<FloatType>(type) && isNarrow(type))
    return success();
  auto integer = dyn_cast_if_present<IntegerType>(type);
  if (integer && integer.getWidth() > 1 && integer.getWidth() <= 16)
    return success();
  if (type)
    return emit.error() << "expected quantized numbers of at most 16 bits, got " << type;
  return failure();
}

/// Returns x / y rounded once to the type of `x`. Kernels may multiply by a reciprocal instead, and
/// an error of one unit would change which quotients are halfway between whole numbers. So the
/// quotient is computed in f64.
Tensor divideExactly(Emitter &emit, const Tensor &x, const Tensor &y) {
  if (!x || !y)
    return {};
  Type f64 = emit.attributes().getF64Type();
  return emit.cast(emit.binary<graph::DivOp>(emit.cast(x, f64), emit.cast(y, f64)),
                   x.elementType());
}

LogicalResult importQuantizeLinear(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), scale = node.input(1), zero = node.input(2);
  NarrowRounding rounding;
  rounding.saturates = node.integer("saturate", 1) != 0;
  Type byte = IntegerType::get(emit.context(), 8, IntegerType::Unsigned);
  Type type = readType(node, "output_dtype", zero ? zero.elementType() : byte);
  Type precision = readType(node, "precision", scale.elementType());
  if (!precision || failed(checkQuantized(emit, type)))
    return failure();
  if (zero && zero.elementType() != type)
    return emit.error() << "expected a zero point of " << type << ", got " << zero.type;
  Type wide = graph::accumulatorOf(precision);
  Spread spread(node, x);
  Tensor quotient = divideExactly(emit, emit.cast(x, wide), emit.cast(spread(scale), wide));
  if (!quotient)
    return failure();
  Tensor point = zero ? spread(zero.held()) : zero;
  if (zero && !point)
    return failure();
  if (isa<IntegerType>(type))
    return node.setResult(saturate(emit, emit.unary<graph::RoundOp>(quotient), point, type));
  Tensor sum = point ? emit.binary<graph::AddOp>(quotient, emit.cast(point, wide)) : quotient;
  return node.setResult(castToStored(emit, sum, type, rounding));
}

/// Returns the numbers without their zero point, as `type`.
Tensor centered(Emitter &emit, const Tensor &x, const Tensor &zero, Type type) {
  Tensor wide = emit.cast(x, type);
  return zero ? emit.binary<graph::SubOp>(wide, emit.cast(zero, type)) : wide;
}

LogicalResult importDequantizeLinear(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0).held(), scale = node.input(1), zero = node.input(2).held();
  Type type = readType(node, "output_dtype", scale.elementType());
  if (!type)
    return failure();
  Type wide = graph::accumulatorOf(type);
  Spread spread(node, x);
  Tensor factor = spread(scale), point = zero ? spread(zero) : zero;
  if (!factor || (zero && !point))
    return failure();
  Tensor difference = centered(emit, x, point, wide);
  Tensor product = emit.binary<graph::MulOp>(difference, emit.cast(factor, wide));
  return node.setResult(emit.cast(product, type));
}

/// Imports DynamicQuantizeLinear: the range of all numbers and zero becomes that of ui8.
LogicalResult importDynamicQuantizeLinear(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  Tensor zero = emit.scalarLike(x, 0.0);
  Tensor least = emit.binary<graph::MinOp>(emit.reduce(Kind::Min, x, dims), zero);
  Tensor greatest = emit.binary<graph::MaxOp>(emit.reduce(Kind::Max, x, dims), zero);
  Tensor range = emit.binary<graph::SubOp>(greatest, least);
  if (!range)
    return failure();
  Tensor scale = divideExactly(emit, range, emit.scalarLike(x, 255.0));
  Type byte = IntegerType::get(emit.context(), 8, IntegerType::Unsigned);
  auto wholeOf = [&](const Tensor &value) {
    Tensor quotient = divideExactly(emit, value, scale);
    return quotient ? emit.unary<graph::RoundOp>(quotient) : quotient;
  };
  Tensor point = saturate(emit, wholeOf(emit.binary<graph::SubOp>(zero, least)), {}, byte);
  Tensor result = point ? saturate(emit, wholeOf(x), point, byte) : point;
  return node.setResults({result, scale, point});
}

/// Returns a number for each row (or, not `isRow`, each column) of matrices as a factor of them.
Tensor perRow(Emitter &emit, const Tensor &values, bool isRow) {
  if (!values || values.type.getNumElements() == 1)
    return values ? emit.reshape(values, {}) : values;
  return values.rank() == 1 && isRow ? emit.reshape(values, {values.shape()[0], 1}) : values;
}

/// Multiplies matrices of quantized numbers as i32.
Tensor multiply(Emitter &emit, const Tensor &a, const Tensor &aZero, const Tensor &b,
                const Tensor &bZero) {
  if (a.rank() < 2 || b.rank() < 2) {
    emit.error() << "expected two matrices, got " << a.type << " and " << b.type;
    return {};
  }
  Type i32 = emit.attributes().getI32Type();
  return emit.matmul(centered(emit, a, perRow(emit, aZero, true), i32),
                     centered(emit, b, perRow(emit, bZero, false), i32));
}

LogicalResult importMatMulInteger(Node &node) {
  return node.setResult(
      multiply(node.emit, node.input(0), node.input(2), node.input(1), node.input(3)));
}

/// Multiplies exact sums by the scales of both factors over that of the result, and quantizes them.
Tensor requantize(Emitter &emit, const Tensor &sums, const Tensor &left, const Tensor &right,
                  const Tensor &scale, const Tensor &zero) {
  Tensor factor =
      divideExactly(emit, emit.binary<graph::MulOp>(left, right), emit.reshape(scale, {}));
  if (!sums || !factor)
    return {};
  Type f64 = emit.attributes().getF64Type();
  Tensor product = emit.binary<graph::MulOp>(emit.cast(sums, f64), emit.cast(factor, f64));
  Tensor whole = product ? emit.unary<graph::RoundOp>(product) : product;
  return saturate(emit, whole, emit.reshape(zero, {}), zero.elementType());
}

LogicalResult importQLinearMatMul(Node &node) {
  Emitter &emit = node.emit;
  Tensor zero = node.input(7);
  if (failed(checkQuantized(emit, zero.elementType())))
    return failure();
  Tensor sums = multiply(emit, node.input(0), node.input(2), node.input(3), node.input(5));
  Tensor left = perRow(emit, node.input(1), true), right = perRow(emit, node.input(4), false);
  return node.setResult(requantize(emit, sums, left, right, node.input(6), zero));
}

/// Returns a number for each output channel as a factor of `x`, whose dimension `dim` they are.
Tensor perChannel(Emitter &emit, const Tensor &values, const Tensor &x, int64_t dim) {
  if (!values || values.type.getNumElements() == 1)
    return values ? emit.reshape(values, {}) : values;
  Shape shape(x.rank(), 1);
  shape[dim] = values.type.getNumElements();
  return emit.reshape(values, shape);
}

/// Convolves quantized numbers as f64, which holds every sum of their products.
FailureOr<Tensor> convolveExactly(Node &node, const Tensor &x, const Tensor &xZero,
                                  const Tensor &weight, const Tensor &weightZero) {
  Emitter &emit = node.emit;
  Type f64 = emit.attributes().getF64Type();
  Tensor image = centered(emit, x, xZero ? emit.reshape(xZero, {}) : xZero, f64);
  Tensor kernel = centered(emit, weight, perChannel(emit, weightZero, weight, 0), f64);
  if (!image || !kernel)
    return failure();
  return emitConvolution(node, image, kernel);
}

LogicalResult importConvInteger(Node &node) {
  auto sums = convolveExactly(node, node.input(0), node.input(2), node.input(1), node.input(3));
  if (failed(sums))
    return failure();
  return node.setResult(node.emit.cast(*sums, node.emit.attributes().getI32Type()));
}

LogicalResult importQLinearConv(Node &node) {
  Emitter &emit = node.emit;
  Tensor weight = node.input(3), zero = node.input(7), bias = node.input(8);
  if (failed(checkQuantized(emit, zero.elementType())))
    return failure();
  auto sums = convolveExactly(node, node.input(0), node.input(2), weight, node.input(5));
  if (failed(sums))
    return failure();
  if (bias)
    *sums = emit.binary<graph::AddOp>(
        *sums, emit.cast(perChannel(emit, bias, *sums, 1), emit.attributes().getF64Type()));
  if (!*sums)
    return failure();
  Tensor left = emit.reshape(node.input(1), {});
  Tensor right = perChannel(emit, node.input(4), *sums, 1);
  return node.setResult(requantize(emit, *sums, left, right, node.input(6), zero));
}

} // namespace

llvm::ArrayRef<Operator> quantizeOperators() {
  static const Operator rows[] = {
      {"ConvInteger", 10, 2, 4, NoGradient, importConvInteger},
      readsNarrow({"DequantizeLinear", 10, 2, 3, SecondInput, importDequantizeLinear}),
      {"DynamicQuantizeLinear", 11, 1, 1, NoGradient, importDynamicQuantizeLinear},
      {"MatMulInteger", 10, 2, 4, NoGradient, importMatMulInteger},
      {"QLinearConv", 10, 8, 9, NoGradient, importQLinearConv},
      {"QLinearMatMul", 10, 8, 8, NoGradient, importQLinearMatMul},
      readsNarrow({"QuantizeLinear", 10, 2, 3, NoGradient, importQuantizeLinear}),
  };
  return rows;
}

} // namespace pcc::import
