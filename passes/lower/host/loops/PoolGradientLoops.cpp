// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits gradient kernels of max_pool. The planes of the batch and the channels are independent and
// run in parallel. Within a plane, gradients are added in the order of their windows.
#include "passes/lower/elements/MaxPoolWindows.h"
#include "passes/lower/host/loops/KernelLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
struct PoolGradientEmitter {
  KernelBody &kernel;
  MaxPoolWindows windows{kernel.elements, kernel.results[0].getDefiningOp<MaxPoolGradientOp>()};

  void clear(Value plane);
  void addWindow(Value plane, Value row, Value column);
};
} // namespace

void PoolGradientEmitter::clear(Value plane) {
  IndexMath &math = kernel.math();
  ImplicitLocOpBuilder &b = kernel.builder();
  emitLoop(b, math.constant(0), math.constant(windows.area), [&](Value n) {
    Value zero = emitNumber(b, computeType(kernel.elementType(0)), 0);
    kernel.elements.store(zero, kernel.elementType(0), kernel.pointers[0],
                          math.add(math.mul(plane, windows.area), n));
  });
}

void PoolGradientEmitter::addWindow(Value plane, Value row, Value column) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  Elements &elements = kernel.elements;
  Type type = kernel.elementType(0);
  Value greatest = windows.findGreatest(plane, row, column);
  // A window that sees only padding leaves the sum as it is.
  Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, greatest, math.constant(0));
  Value position = math.add(math.mul(plane, windows.area), math.clamp(greatest, windows.area));
  Value gradient = windows.gradientOf(plane, row, column);
  Value before = elements.load(type, kernel.pointers[0], position);
  Value sum = arith::AddFOp::create(b, before, gradient);
  Value after = arith::SelectOp::create(b, isThere, sum, before);
  elements.store(after, type, kernel.pointers[0], position);
}

void emitPoolGradient(KernelBody &kernel, Value begin, Value end) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  PoolGradientEmitter emitter{kernel};
  Value zero = math.constant(0);
  emitLoop(b, begin, end, [&](Value plane) {
    emitter.clear(plane);
    emitLoop(b, zero, math.constant(emitter.windows.pooled[0]), [&](Value row) {
      emitLoop(b, zero, math.constant(emitter.windows.pooled[1]),
               [&](Value column) { emitter.addWindow(plane, row, column); });
    });
  });
}

} // namespace pcc::lower
