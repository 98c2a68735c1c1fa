// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses loops and grid by the kernel's form. Each form has a file of its own; gridOf and
// emitGpuLoops make the same choices.
#include "passes/lower/gpu/loops/GpuLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pcc::lower {

/// Bytes of the widest load and store of a thread.
static constexpr int64_t bytesPerAccess = 16;

int64_t elementsPerAccess(func::FuncOp kernel, int64_t inner) {
  int64_t narrowest = bytesPerAccess;
  auto look = [&](Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type)) {
      int64_t bits = shaped.getElementType().getIntOrFloatBitWidth();
      narrowest = std::min<int64_t>(narrowest, llvm::divideCeil(bits, 8));
    }
  };
  llvm::for_each(kernel.getArgumentTypes(), look);
  llvm::for_each(kernel.getResultTypes(), look);
  // Elements of one byte are computed in 32 bits each, so more than 8 would not fit into registers.
  int64_t piece = std::min<int64_t>(bytesPerAccess / narrowest, 8);
  while (inner % piece != 0)
    piece /= 2;
  return piece;
}

void emitIf(ImplicitLocOpBuilder &b, Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto guarded = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(guarded.thenYield());
  body();
}

GridShape gridOf(func::FuncOp kernel, task::FormAttr form) {
  if (std::optional<ColumnLoops> loops = columnLoops(kernel, form))
    return gridOfColumns(kernel, *loops);
  switch (form.getKind()) {
  case task::FormKind::Map:
    if (std::optional<TransposeTiles> tiles = findTransposeTiles(kernel, form))
      return {tiles->blocks(), defaultBlockThreads};
    return gridOfMap(kernel, form);
  case task::FormKind::Rows:
    return gridOfRows(kernel, form);
  default:
    Value result = kernel.getBody().front().getTerminator()->getOperand(0);
    return result.getDefiningOp<graph::MaxPoolGradientOp>() ? gridOfPoolGradient(kernel)
                                                            : gridOfScatter(kernel);
  }
}

void emitGpuLoops(GpuKernel &kernel) {
  task::FormAttr form = kernel.body.form;
  if (std::optional<ColumnLoops> loops = columnLoops(kernel.body.function, form))
    return emitGpuColumns(kernel, *loops);
  switch (form.getKind()) {
  case task::FormKind::Map:
    if (std::optional<TransposeTiles> tiles = findTransposeTiles(kernel.body.function, form))
      return emitGpuTranspose(kernel, *tiles);
    return emitGpuMap(kernel);
  case task::FormKind::Rows:
    return emitGpuRows(kernel);
  default:
    return kernel.body.results[0].getDefiningOp<graph::MaxPoolGradientOp>()
               ? emitGpuPoolGradient(kernel)
               : emitGpuScatter(kernel);
  }
}

} // namespace pcc::lower
