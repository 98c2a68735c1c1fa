// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses loops by the kernel's form; each form has a file of its own. Also builds loops and nests
// on scf.for.
#include "passes/lower/host/loops/KernelLoops.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pcc::lower {

Iterations iterationsOf(func::FuncOp kernel, task::FormAttr form) {
  if (std::optional<ColumnLoops> loops = columnLoops(kernel, form))
    return columnIterations(kernel, *loops);
  switch (form.getKind()) {
  case task::FormKind::Map:
    return mapIterations(kernel, form);
  case task::FormKind::Rows:
    return rowIterations(form);
  default:
    return {form.getOuter(), 1};
  }
}

void emitIterations(KernelBody &kernel, Value begin, Value end) {
  if (std::optional<ColumnLoops> loops = columnLoops(kernel.function, kernel.form))
    return emitColumns(kernel, *loops, begin, end);
  switch (kernel.form.getKind()) {
  case task::FormKind::Map:
    return emitMap(kernel, begin, end);
  case task::FormKind::Rows:
    return emitRows(kernel, begin, end);
  default:
    if (kernel.results[0].getDefiningOp<graph::MaxPoolGradientOp>())
      return emitPoolGradient(kernel, begin, end);
    return emitScatter(kernel, begin, end);
  }
}

void emitNest(KernelBody &kernel, ArrayRef<int64_t> sizes, const Index &outer,
              function_ref<void(const Index &)> body) {
  emitNest(kernel, sizes, outer, {}, [&](const Index &index, ValueRange) -> SmallVector<Value> {
    body(index);
    return {};
  });
}

SmallVector<Value> emitNest(KernelBody &kernel, ArrayRef<int64_t> sizes, const Index &outer,
                            ValueRange initial,
                            function_ref<SmallVector<Value>(const Index &, ValueRange)> body) {
  if (sizes.empty())
    return body(outer, initial);
  IndexMath &math = kernel.math();
  Value zero = math.constant(0), size = math.constant(sizes.front());
  return emitLoop(kernel.builder(), zero, size, initial, [&](Value position, ValueRange carried) {
    Index index = outer;
    index.push_back({position, {sizes.front()}});
    return emitNest(kernel, sizes.drop_front(), index, carried, body);
  });
}

void emitLoop(ImplicitLocOpBuilder &b, Value from, Value to, function_ref<void(Value)> body) {
  emitLoop(b, from, to, {}, [&](Value position, ValueRange) -> SmallVector<Value> {
    body(position);
    return {};
  });
}

SmallVector<Value> emitLoop(ImplicitLocOpBuilder &b, Value from, Value to, ValueRange initial,
                            function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Value one = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(1));
  return emitStridedLoop(b, from, to, one, initial, body);
}

void emitStridedLoop(ImplicitLocOpBuilder &b, Value from, Value to, Value step,
                     function_ref<void(Value)> body) {
  emitStridedLoop(b, from, to, step, {}, [&](Value position, ValueRange) -> SmallVector<Value> {
    body(position);
    return {};
  });
}

SmallVector<Value> emitStridedLoop(ImplicitLocOpBuilder &b, Value from, Value to, Value step,
                                   ValueRange initial,
                                   function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, from, to, step, initial);
  OpBuilder::InsertionGuard guard(b);
  Block *block = loop.getBody();
  if (initial.empty())
    block->getTerminator()->erase();
  b.setInsertionPointToEnd(block);
  scf::YieldOp::create(b, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

} // namespace pcc::lower
