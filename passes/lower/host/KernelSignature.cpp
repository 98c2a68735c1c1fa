// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the order of buffers and scalars from argument and result attributes. Launches pass their
// operands in this order (SectionEmitter::emitLaunch); change both together. Rejects kernels for
// whose ops or form no loops can be emitted.
#include "passes/lower/host/KernelSignature.h"

#include "dialects/graph/Graph.h"
#include "passes/lower/host/EmitKernels.h"

using namespace mlir;

namespace pcc::lower {

KernelSignature::KernelSignature(func::FuncOp kernel) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    bool isScalar = bool(kernel.getArgAttr(i, scalarAttrName));
    bufferOfArgument.push_back(isScalar ? -1 : numBuffers++);
    numScalars += isScalar;
  }
  for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
    auto tied = kernel.getResultAttrOfType<IntegerAttr>(i, tiedAttrName);
    bufferOfResult.push_back(tied ? bufferOfArgument[tied.getInt()] : numBuffers++);
  }
}

SmallVector<func::FuncOp> listKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(formAttrName))
      kernels.push_back(function);
  return kernels;
}

/// Returns whether kernels of this form are loops. The other forms are library calls.
static bool isLoops(task::FormKind kind) {
  switch (kind) {
  case task::FormKind::Map:
  case task::FormKind::Rows:
  case task::FormKind::Columns:
  case task::FormKind::Scatter:
    return true;
  case task::FormKind::Matmul:
  case task::FormKind::Collective:
  case task::FormKind::Convolution:
  case task::FormKind::Attention:
    return false;
  }
  llvm_unreachable("every kind is listed");
}

LogicalResult checkKernel(func::FuncOp kernel) {
  auto form = kernel->getAttrOfType<task::FormAttr>(formAttrName);
  bool hasLoops = form && isLoops(form.getKind()) && form.getOuter() > 0 && form.getInner() > 0;
  if (!hasLoops || !llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError() << "\"" << kernel.getName()
                              << "\" is no kernel: expected one block, and in \"" << formAttrName
                              << "\" loops of the form map, rows, columns or scatter";
  Block &block = kernel.getBody().front();
  bool scatters = form.getKind() == task::FormKind::Scatter;
  Operation *scatter = nullptr;
  if (scatters && kernel.getNumResults() == 1)
    scatter = block.getTerminator()->getOperand(0).getDefiningOp();
  if (scatters && !isa_and_nonnull<graph::ScatterAddOp, graph::MaxPoolGradientOp>(scatter))
    return kernel.emitError() << "\"" << kernel.getName()
                              << "\" is no kernel: expected a \"scatter_add\" or "
                                 "\"max_pool_gradient\" as its only result";
  for (Operation &op : block.without_terminator())
    if (&op != scatter && !canComputeElements(&op))
      return op.emitOpError() << "has no code in a kernel of the form \""
                              << task::stringifyFormKind(form.getKind()) << "\"";
  return success();
}

void bindArguments(KernelBody &kernel, const KernelSignature &signature, ValueRange values) {
  unsigned scalar = signature.numBuffers;
  for (BlockArgument argument : kernel.function.getArguments()) {
    int64_t buffer = signature.bufferOfArgument[argument.getArgNumber()];
    if (buffer < 0)
      kernel.elements.bindScalar(argument, values[scalar++]);
    else
      kernel.elements.bindMemory(argument, values[buffer]);
  }
  for (auto [result, buffer] :
       llvm::zip_equal(kernel.function.getBody().front().getTerminator()->getOperands(),
                       signature.bufferOfResult)) {
    kernel.results.push_back(result);
    kernel.pointers.push_back(values[buffer]);
  }
}

} // namespace pcc::lower
