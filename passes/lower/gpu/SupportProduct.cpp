// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of matrices as a kernel of any size: each thread has an element of the result.
#include "passes/lower/gpu/SupportKernel.h"

using namespace mlir;

namespace pcc::lower {

using Flag = abi::ProductFlag;

static void emitProductElement(SupportKernel &kernel, Value element, Type type, Type result) {
  IndexMath &math = kernel.math;
  Value m = kernel.number(1), n = kernel.number(2), k = kernel.number(3), flags = kernel.number(4);
  Value one = math.constant(1), none = math.constant(0), c = kernel.pointer(2);
  SmallVector<Value> at = kernel.split(element, {kernel.number(0), m, n});
  Value isA = kernel.has(flags, Flag::transposeA), isB = kernel.has(flags, Flag::transposeB);
  Value a = kernel.add(kernel.mul(at[0], kernel.mul(m, k)),
                       kernel.mul(at[1], kernel.select(isA, one, k)));
  Value batchOfB = kernel.select(kernel.has(flags, Flag::sharedB), none, at[0]);
  Value b = kernel.add(kernel.mul(batchOfB, kernel.mul(k, n)),
                       kernel.mul(at[2], kernel.select(isB, k, one)));
  Value stepA = kernel.select(isA, m, one), stepB = kernel.select(isB, one, n);
  Value sum = kernel.sum(kernel.zero(), {k}, [&](ArrayRef<Value> i) -> Value {
    Value x = kernel.elements.load(type, kernel.pointer(0), kernel.add(a, kernel.mul(i[0], stepA)));
    Value y = kernel.elements.load(type, kernel.pointer(1), kernel.add(b, kernel.mul(i[0], stepB)));
    return arith::MulFOp::create(kernel.b, x, y, arith::FastMathFlags::contract);
  });
  auto addIf = [&](int64_t flag, Value pointer, Value position) {
    Value isAsked = kernel.has(flags, flag);
    Value more =
        arith::AddFOp::create(kernel.b, sum, kernel.loadIf(isAsked, result, pointer, position));
    sum = kernel.select(isAsked, more, sum);
  };
  addIf(Flag::hasBias, kernel.pointer(3), at[2]);
  addIf(Flag::addToC, c, element);
  Value rectified = arith::MaximumFOp::create(kernel.b, sum, kernel.zero());
  sum = kernel.select(kernel.has(flags, Flag::relu), rectified, sum);
  kernel.elements.store(sum, result, c, element);
}

void emitProductKernel(gpu::GPUModuleOp kernels, const std::string &name, Type type, Type result) {
  SupportKernel kernel(kernels, name, /*pointers=*/4, /*numbers=*/5);
  Value count = kernel.mul(kernel.number(0), kernel.mul(kernel.number(1), kernel.number(2)));
  kernel.forEach(count, [&](Value element) { emitProductElement(kernel, element, type, result); });
}

} // namespace pcc::lower
