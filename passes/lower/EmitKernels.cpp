// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EmitKernels: one LLVM function per kernel. The exported one unpacks the buffers and calls an
// internal one whose pointer arguments do not alias, so that the vectoriser needs no checks:
//
//   void k(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
//     k.body(buffers[0], buffers[1], scalars[0], begin, end);
//   }
//
// Assumes kernels as functions of core ops (LowerToTask). Leaves functions of the LLVM dialect by
// the same names.
#include "passes/lower/EmitKernels.h"
#include "passes/lower/Passes.h"

#include "dialects/graph/Graph.h"
#include "passes/lower/KernelLoops.h"

using namespace mlir;

namespace pcc::lower {
#define GEN_PASS_DEF_EMITKERNELS
#include "passes/lower/Passes.h.inc"

namespace {
/// Which buffer or scalar each argument and result of a kernel is.
struct Signature {
  SmallVector<int64_t> bufferOfArgument; ///< -1: a scalar
  SmallVector<int64_t> bufferOfResult;
  int64_t numBuffers = 0;
  int64_t numScalars = 0;

  explicit Signature(func::FuncOp kernel) {
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
};
} // namespace

/// The internal function: buffers, scalars, begin, end.
static LLVM::LLVMFuncOp emitBody(ImplicitLocOpBuilder &b, func::FuncOp kernel,
                                 const Signature &signature) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> types(signature.numBuffers, pointer);
  types.append(signature.numScalars + 2, b.getI64Type());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
  auto body = LLVM::LLVMFuncOp::create(b, (kernel.getName() + ".body").str(), type,
                                       LLVM::Linkage::Internal);
  for (int64_t i = 0; i < signature.numBuffers; ++i) {
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    body.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
  }
  OpBuilder::InsertionGuard guard(b);
  Block *entry = body.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto end = LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPoint(end);

  IndexMath math(b, entry);
  Elements elements(b, math);
  auto form = kernel->getAttrOfType<task::FormAttr>(formAttrName);
  KernelBody context{kernel, form, elements, {}, {}};
  unsigned scalar = signature.numBuffers;
  for (BlockArgument argument : kernel.getArguments()) {
    int64_t buffer = signature.bufferOfArgument[argument.getArgNumber()];
    if (buffer < 0)
      elements.bindScalar(argument, entry->getArgument(scalar++));
    else
      elements.bindMemory(argument, entry->getArgument(buffer));
  }
  for (auto [result, buffer] : llvm::zip_equal(
           kernel.getBody().front().getTerminator()->getOperands(), signature.bufferOfResult)) {
    context.results.push_back(result);
    context.pointers.push_back(entry->getArgument(buffer));
  }
  emitIterations(context, entry->getArgument(types.size() - 2),
                 entry->getArgument(types.size() - 1));
  return body;
}

/// The exported function, by the ABI of docs/spec/kernels.md.
static void emitEntry(ImplicitLocOpBuilder &b, StringRef name, LLVM::LLVMFuncOp body,
                      const Signature &signature) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, pointer, i64, i64});
  auto entry = LLVM::LLVMFuncOp::create(b, name, type);
  OpBuilder::InsertionGuard guard(b);
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  auto unpack = [&](Value array, Type element, int64_t count) {
    for (int32_t i = 0; i < count; ++i) {
      Value address = LLVM::GEPOp::create(b, pointer, element, array, ArrayRef<LLVM::GEPArg>{i});
      arguments.push_back(LLVM::LoadOp::create(b, element, address));
    }
  };
  unpack(block->getArgument(0), pointer, signature.numBuffers);
  unpack(block->getArgument(1), i64, signature.numScalars);
  arguments.push_back(block->getArgument(2));
  arguments.push_back(block->getArgument(3));
  LLVM::CallOp::create(b, body, arguments);
  LLVM::ReturnOp::create(b, ValueRange());
}

void emitKernel(OpBuilder &builder, func::FuncOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), builder);
  Signature signature(kernel);
  LLVM::LLVMFuncOp body = emitBody(b, kernel, signature);
  emitEntry(b, kernel.getName(), body, signature);
}

/// Checks that the function is a kernel: one block of core ops in loops that there is code for.
static LogicalResult checkKernel(func::FuncOp kernel) {
  auto form = kernel->getAttrOfType<task::FormAttr>(formAttrName);
  bool hasLoops = form && form.getKind() != task::FormKind::Matmul &&
                  form.getKind() != task::FormKind::Convolution &&
                  form.getKind() != task::FormKind::Collective && form.getOuter() > 0 &&
                  form.getInner() > 0;
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
    if (&op != scatter && !hasElements(&op))
      return op.emitOpError() << "has no code in a kernel of the form \""
                              << task::stringifyFormKind(form.getKind()) << "\"";
  return success();
}

namespace {
struct EmitKernels : impl::EmitKernelsBase<EmitKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(kernels->getBody());
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(formAttrName))
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      if (failed(checkKernel(function)))
        return signalPassFailure();
      emitKernel(builder, function);
      builder.setInsertionPointToEnd(kernels->getBody());
    }
    if (failed(convertToLLVM(*kernels)))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      function.erase();
    Block *body = module.getBody();
    body->getOperations().splice(body->end(), kernels->getBody()->getOperations());
  }
};
} // namespace
} // namespace pcc::lower
