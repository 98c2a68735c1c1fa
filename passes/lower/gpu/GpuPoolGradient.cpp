// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits gradient kernels of max_pool on a GPU. Each thread has an element of the input, and gathers
// from the windows that see it.
#include "passes/lower/gpu/GpuLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace pcc::lower {

GridShape gridOfPoolGradient(task::FormAttr form) {
  int64_t blocks = llvm::divideCeil(form.getOuter() * form.getInner(), usualThreads);
  return {std::min(blocks, usualBlocks), usualThreads};
}

void emitGpuPoolGradient(GpuKernel &kernel) {
  IndexMath &math = kernel.math();
  ThreadBlock block(kernel.body.elements, kernel.shape.threads, kernel.shape.blocks);
  Value own = math.add(math.mul(block.block(), kernel.shape.threads), block.thread());
  emitStridedLoop(kernel.builder(), own, math.constant(countOf(kernel.body.results[0])),
                  math.constant(kernel.shape.blocks * kernel.shape.threads),
                  [&](Value element) { emitPoolGradientElement(kernel.body, element); });
}

} // namespace pcc::lower
