// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits matmul as a kernel of any size: each thread computes one element of the result. The threads
// of the first column also sum a row of the first factor, those of the first row a column of the
// second. Another kernel completes a matmul that a library has already written to c.
#include "passes/lower/gpu/support/SupportKernel.h"

#include "dialects/graph/Gelu.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace pcc::lower {

using Flag = abi::MatmulFlag;

namespace {
/// Pointer arguments of a matmul kernel.
enum MatmulTensor : unsigned {
  tensorA,
  tensorB,
  tensorC,
  bias,
  preActivation,
  sumOfOperand,
  tensors
};

class MatmulEmitter {
public:
  MatmulEmitter(SupportKernel &kernel, Type type, Type result, bool isThere)
      : kernel(kernel), b(kernel.b), math(kernel.math), type(type), result(result),
        isThere(isThere), batch(kernel.number(0)), m(kernel.number(1)), n(kernel.number(2)),
        k(kernel.number(3)), flags(kernel.number(4)) {}
  void emitElement(Value element);

private:
  Value has(int64_t flag) { return kernel.has(flags, flag); }
  Value mulF(Value x, Value y) {
    return arith::MulFOp::create(b, x, y, arith::FastMathFlags::contract);
  }
  Value addF(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value f32(double value) { return emitNumber(b, b.getF32Type(), value); }
  Value factor(MatmulTensor tensor, Value sample, Value row, Value at);
  Value product(ArrayRef<Value> at);
  Value addIf(Value sum, int64_t flag, MatmulTensor tensor, Value position);
  void emitSums(ArrayRef<Value> at);
  Value bend(Value x);
  Value gelu(Value x, Value bent);
  Value geluSlope(Value x, Value bent);

  SupportKernel &kernel;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  Type type, result;
  const bool isThere; ///< c already holds the matmul, including its addend
  Value batch, m, n, k, flags;
};
} // namespace

/// Returns the element of a factor in a row of a, or a column of b, at a position along k.
Value MatmulEmitter::factor(MatmulTensor tensor, Value sample, Value row, Value at) {
  bool isA = tensor == tensorA;
  Value rows = isA ? m : n;
  // Rows along k: a as it is, b transposed.
  Value isTransposed = has(isA ? Flag::transposeA : Flag::transposeB);
  Value alongRows = kernel.add(kernel.mul(row, k), at);
  Value alongColumns = kernel.add(kernel.mul(at, rows), row);
  Value within = isA ? kernel.select(isTransposed, alongColumns, alongRows)
                     : kernel.select(isTransposed, alongRows, alongColumns);
  if (!isA)
    sample = kernel.select(has(Flag::sharedB), math.constant(0), sample);
  Value place = kernel.add(kernel.mul(sample, kernel.mul(rows, k)), within);
  return kernel.elements.load(type, kernel.pointer(tensor), place);
}

Value MatmulEmitter::product(ArrayRef<Value> at) {
  return kernel.sum(kernel.zero(), {k}, [&](ArrayRef<Value> i) {
    return mulF(factor(tensorA, at[0], at[1], i[0]), factor(tensorB, at[0], at[2], i[0]));
  });
}

Value MatmulEmitter::addIf(Value sum, int64_t flag, MatmulTensor tensor, Value position) {
  Value isAsked = has(flag);
  Value more = addF(sum, kernel.loadIf(isAsked, result, kernel.pointer(tensor), position));
  return kernel.select(isAsked, more, sum);
}

/// Writes the sums of a factor's rows over k and all samples. Only threads of the first sample that
/// are also first along the other factor's rows write.
void MatmulEmitter::emitSums(ArrayRef<Value> at) {
  for (MatmulTensor tensor : {tensorA, tensorB}) {
    Value row = at[tensor == tensorA ? 1 : 2], other = at[tensor == tensorA ? 2 : 1];
    Value isFirst = kernel.less(kernel.add(at[0], other), math.constant(1));
    Value isAsked = kernel.both(has(tensor == tensorA ? Flag::sumOfA : Flag::sumOfB), isFirst);
    emitIf(b, isAsked, [&] {
      Value sum = kernel.sum(kernel.zero(), {batch, k},
                             [&](ArrayRef<Value> i) { return factor(tensor, i[0], row, i[1]); });
      kernel.elements.store(sum, result, kernel.pointer(sumOfOperand), row);
    });
  }
}

/// tanh(c (x + d x³)).
Value MatmulEmitter::bend(Value x) {
  Value cube = mulF(mulF(x, x), mulF(x, f32(graph::geluCubic)));
  return math::TanhOp::create(b, mulF(addF(x, cube), f32(graph::geluScale)));
}

Value MatmulEmitter::gelu(Value x, Value bent) {
  return mulF(mulF(f32(0.5), x), addF(f32(1), bent));
}

/// (1 + t)/2 + x (1 - t²) u'/2 with t = tanh(u).
Value MatmulEmitter::geluSlope(Value x, Value bent) {
  Value inner =
      addF(mulF(mulF(x, x), f32(3 * graph::geluScale * graph::geluCubic)), f32(graph::geluScale));
  Value flat = arith::SubFOp::create(b, f32(1), mulF(bent, bent));
  Value steep = mulF(mulF(x, inner), flat);
  return mulF(addF(addF(bent, steep), f32(1)), f32(0.5));
}

void MatmulEmitter::emitElement(Value element) {
  SmallVector<Value> at = kernel.split(element, {batch, m, n});
  Value sum =
      isThere ? kernel.elements.load(result, kernel.pointer(tensorC), element) : product(at);
  sum = addIf(sum, Flag::hasBias, bias, at[2]);
  if (!isThere)
    sum = addIf(sum, Flag::addToC, tensorC, element);
  Value isGelu = has(Flag::gelu), isGradient = has(Flag::geluGradient);
  emitIf(b, kernel.both(isGelu, has(Flag::hasPreActivation)),
         [&] { kernel.elements.store(sum, result, kernel.pointer(preActivation), element); });
  Value x = kernel.select(
      isGradient, kernel.loadIf(isGradient, result, kernel.pointer(preActivation), element), sum);
  Value bent = bend(x);
  Value rectified = arith::MaximumFOp::create(b, sum, kernel.zero());
  Value value = kernel.select(has(Flag::relu), rectified, sum);
  value = kernel.select(isGelu, gelu(x, bent), value);
  value = kernel.select(isGradient, mulF(sum, geluSlope(x, bent)), value);
  kernel.elements.store(value, result, kernel.pointer(tensorC), element);
  emitSums(at);
}

static void emitKernel(gpu::GPUModuleOp kernels, const std::string &name, Type type, Type result,
                       bool isThere) {
  SupportKernel kernel(kernels, name, /*pointers=*/tensors, /*numbers=*/5);
  MatmulEmitter product(kernel, type, result, isThere);
  Value count = kernel.mul(kernel.number(0), kernel.mul(kernel.number(1), kernel.number(2)));
  kernel.forEach(count, [&](Value element) { product.emitElement(element); });
}

void emitMatmulKernel(gpu::GPUModuleOp kernels, const std::string &name, Type type, Type result) {
  emitKernel(kernels, name, type, result, /*isThere=*/false);
}

void emitFinishKernel(gpu::GPUModuleOp kernels, const std::string &name, Type type, Type result) {
  emitKernel(kernels, name, type, result, /*isThere=*/true);
}

} // namespace pcc::lower
