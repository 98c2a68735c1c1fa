// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits scatter kernels: one scatter_add. The slabs before the axis are independent and run in
// parallel. Within a slab, updates are added in the order of their indices, so that the sum is
// always the same.
#include "passes/lower/host/loops/KernelLoops.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
/// Sizes of a scatter: slabs x axis x row, with `updates` rows to add per slab.
struct ScatterEmitter {
  KernelBody &kernel;
  ScatterAddOp op;
  int64_t slabs = kernel.form.getOuter();
  int64_t axis = op.getInput().getType().getShape()[op.getAxis()];
  int64_t row = kernel.form.getInner() / axis;
  int64_t updates = countOf(op.getIndices());

  void copySlab(Value slab);
  void addUpdate(Value slab, Value update);
};
} // namespace

/// Copies the input to the result. If both are the same buffer, each element is stored where it
/// was.
void ScatterEmitter::copySlab(Value slab) {
  IndexMath &math = kernel.math();
  int64_t count = axis * row;
  emitLoop(kernel.builder(), math.constant(0), math.constant(count), [&](Value n) {
    Index index = math.regroup({{slab, {slabs}}, {n, {count}}}, op.getInput().getType().getShape());
    Value element = kernel.elements.at(op.getInput(), index);
    kernel.elements.store(element, kernel.elementType(0), kernel.pointers[0],
                          math.add(math.mul(slab, count), n));
  });
}

void ScatterEmitter::addUpdate(Value slab, Value update) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  Elements &elements = kernel.elements;
  Value target = elements.positionAt(
      op.getIndices(), math.regroup({{update, {updates}}}, op.getIndices().getType().getShape()));
  Value inRange = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, target, math.constant(axis));
  auto guard = scf::IfOp::create(b, inRange, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPoint(guard.thenYield());
  Type type = kernel.elementType(0);
  emitLoop(b, math.constant(0), math.constant(row), [&](Value n) {
    Index index = math.regroup({{slab, {slabs}}, {update, {updates}}, {n, {row}}},
                               op.getUpdates().getType().getShape());
    Value element = elements.at(op.getUpdates(), index);
    Value position = math.linear({{slab, {slabs}}, {target, {axis}}, {n, {row}}});
    Value before = elements.load(type, kernel.pointers[0], position);
    Value sum = isa<FloatType>(type) ? arith::AddFOp::create(b, before, element).getResult()
                                     : arith::AddIOp::create(b, before, element).getResult();
    elements.store(sum, type, kernel.pointers[0], position);
  });
}

void emitScatter(KernelBody &kernel, Value begin, Value end) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  ScatterEmitter emitter{kernel, kernel.results[0].getDefiningOp<ScatterAddOp>()};
  emitLoop(b, begin, end, [&](Value slab) {
    emitter.copySlab(slab);
    emitLoop(b, math.constant(0), math.constant(emitter.updates),
             [&](Value update) { emitter.addUpdate(slab, update); });
  });
}

} // namespace pcc::lower
