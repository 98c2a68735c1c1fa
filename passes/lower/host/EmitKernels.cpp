// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EmitKernels: emits one LLVM function per kernel. The exported function unpacks the buffers and
// calls an internal function, whose pointer arguments do not alias, so that the vectorizer needs no
// checks:
//
//   void k(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
//     k.body(buffers[0], buffers[1], scalars[0], begin, end);
//   }
//
// Assumes kernels as functions of core ops (LowerToTask). Leaves functions of the LLVM dialect with
// the same names.
#include "passes/lower/host/EmitKernels.h"
#include "passes/lower/Passes.h"

#include "passes/lower/host/KernelSignature.h"

using namespace mlir;

namespace pcc::lower {
#define GEN_PASS_DEF_EMITKERNELS
#include "passes/lower/Passes.h.inc"

/// Emits the internal function with the arguments buffers, scalars, begin, end.
static LLVM::LLVMFuncOp emitBody(ImplicitLocOpBuilder &b, func::FuncOp kernel,
                                 const KernelSignature &signature) {
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
  bindArguments(context, signature, entry->getArguments());
  emitIterations(context, entry->getArgument(types.size() - 2),
                 entry->getArgument(types.size() - 1));
  return body;
}

/// Emits the exported function with the ABI of docs/spec/kernels.md.
static void emitEntry(ImplicitLocOpBuilder &b, StringRef name, LLVM::LLVMFuncOp body,
                      const KernelSignature &signature) {
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
  KernelSignature signature(kernel);
  LLVM::LLVMFuncOp body = emitBody(b, kernel, signature);
  emitEntry(b, kernel.getName(), body, signature);
}

namespace {
struct EmitKernels : impl::EmitKernelsBase<EmitKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(kernels->getBody());
    SmallVector<func::FuncOp> functions = listKernels(module);
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
