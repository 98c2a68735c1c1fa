// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits scatter kernels on a GPU: one scatter_add. A warp has some adjacent rows of one slab of the
// result. It searches all indices, 32 at a time, for those that go to its rows, and adds their
// updates in order. The sum is therefore always the same, and no two threads add to one element.
//
// The indices are few compared with the data that they index (a token's number against its row of
// an embedding). They lie in cache once a first warp has read them.
#include "passes/lower/gpu/loops/GpuLoops.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
/// Approximate number of warps for all slabs together.
constexpr int64_t usualWarps = 4096;
constexpr int64_t warpsPerBlock = defaultBlockThreads / lanesPerWarp;

/// Sizes of a scatter: slabs × axis × row, with `updates` rows to add per slab.
struct ScatterSizes {
  int64_t slabs, axis, row, updates;
  int64_t rowsPerWarp, warpsPerSlab;

  explicit ScatterSizes(ScatterAddOp op) {
    ArrayRef<int64_t> shape = op.getInput().getType().getShape();
    slabs = row = 1;
    for (int64_t size : shape.take_front(op.getAxis()))
      slabs *= size;
    for (int64_t size : shape.drop_front(op.getAxis() + 1))
      row *= size;
    axis = shape[op.getAxis()];
    updates = countOf(op.getIndices());
    int64_t wanted = std::max<int64_t>(1, usualWarps / slabs);
    rowsPerWarp = llvm::divideCeil(axis, std::min(axis, wanted));
    warpsPerSlab = llvm::divideCeil(axis, rowsPerWarp);
  }
};

class ScatterEmitter {
public:
  ScatterEmitter(GpuKernel &kernel, ScatterAddOp op)
      : kernel(kernel), op(op), sizes(op), elements(kernel.body.elements), b(kernel.builder()),
        math(kernel.math()), block(elements, kernel.shape.threads, kernel.shape.blocks),
        lanes(math.constant(lanesPerWarp)), row(math.constant(sizes.row)) {}
  void emit();

private:
  void copyRows();
  void lookThrough(Value firstUpdate);
  void addUpdate(Value update, Value target);
  Value isOwn(Value target);

  GpuKernel &kernel;
  ScatterAddOp op;
  ScatterSizes sizes;
  Elements &elements;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  ThreadBlock block;
  Value lanes, row;
  Value slab, firstRow, endRow;
};
} // namespace

GridShape gridOfScatter(func::FuncOp kernel) {
  Value result = kernel.getBody().front().getTerminator()->getOperand(0);
  ScatterSizes sizes(result.getDefiningOp<ScatterAddOp>());
  return {int64_t(llvm::divideCeil(sizes.slabs * sizes.warpsPerSlab, warpsPerBlock)),
          defaultBlockThreads};
}

/// Copies the input to the result. The lane that adds to an element also copies it.
void ScatterEmitter::copyRows() {
  emitStridedLoop(b, firstRow, endRow, math.constant(1), [&](Value at) {
    emitStridedLoop(b, block.lane(), row, lanes, [&](Value n) {
      Index index = {{slab, {sizes.slabs}}, {at, {sizes.axis}}, {n, {sizes.row}}};
      Value element =
          elements.at(op.getInput(), math.regroup(index, op.getInput().getType().getShape()));
      elements.store(element, kernel.body.elementType(0), kernel.body.pointers[0],
                     math.linear(index));
    });
  });
}

void ScatterEmitter::addUpdate(Value update, Value target) {
  Type type = kernel.body.elementType(0);
  emitStridedLoop(b, block.lane(), row, lanes, [&](Value n) {
    Index index = math.regroup({{slab, {sizes.slabs}}, {update, {sizes.updates}}, {n, {sizes.row}}},
                               op.getUpdates().getType().getShape());
    Value element = elements.at(op.getUpdates(), index);
    Value position = math.linear({{slab, {sizes.slabs}}, {target, {sizes.axis}}, {n, {sizes.row}}});
    Value before = elements.load(type, kernel.body.pointers[0], position);
    Value sum = isa<FloatType>(type) ? arith::AddFOp::create(b, before, element).getResult()
                                     : arith::AddIOp::create(b, before, element).getResult();
    elements.store(sum, type, kernel.body.pointers[0], position);
  });
}

Value ScatterEmitter::isOwn(Value target) {
  Value notBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, target, firstRow);
  Value notBehind = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, target, endRow);
  return arith::AndIOp::create(b, notBefore, notBehind);
}

/// Adds the updates at the next 32 indices, one index per lane.
void ScatterEmitter::lookThrough(Value firstUpdate) {
  Value update = math.add(firstUpdate, block.lane());
  Value isThere =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, update, math.constant(sizes.updates));
  Value safe = arith::SelectOp::create(b, isThere, update, math.constant(0));
  Value target =
      elements.positionAt(op.getIndices(), math.regroup({{safe, {sizes.updates}}},
                                                        op.getIndices().getType().getShape()));
  target = arith::SelectOp::create(b, isThere, target, math.constant(-1));
  emitIf(b, block.holdsInSomeLane(isOwn(target)), [&] {
    emitStridedLoop(b, math.constant(0), lanes, math.constant(1), [&](Value lane) {
      Value common = block.takeFromLane(target, lane);
      emitIf(b, isOwn(common), [&] { addUpdate(math.add(firstUpdate, lane), common); });
    });
  });
}

void ScatterEmitter::emit() {
  Value warp = math.add(math.mul(block.block(), warpsPerBlock), block.warp());
  slab = math.div(warp, sizes.warpsPerSlab);
  firstRow = math.mul(math.rem(warp, sizes.warpsPerSlab), sizes.rowsPerWarp);
  endRow = arith::MinSIOp::create(b, math.add(firstRow, math.constant(sizes.rowsPerWarp)),
                                  math.constant(sizes.axis));
  Value isThere =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, slab, math.constant(sizes.slabs));
  emitIf(b, isThere, [&] {
    copyRows();
    emitStridedLoop(b, math.constant(0), math.constant(sizes.updates), lanes,
                    [&](Value first) { lookThrough(first); });
  });
}

void emitGpuScatter(GpuKernel &kernel) {
  ScatterEmitter(kernel, kernel.body.results[0].getDefiningOp<ScatterAddOp>()).emit();
}

} // namespace pcc::lower
