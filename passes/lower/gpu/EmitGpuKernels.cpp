// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EmitGpuKernels: emits a function for each kernel, to be run by all threads of a grid:
//
//   void k(T *buffer0, T *buffer1, int64_t scalar0)    of grid (blocks, threads)
//
// Assumes kernels as functions of core ops (LowerToTask). Leaves them in a `gpu.module`, as
// functions of the gpu, arith, math and scf dialects on pointers, with `task.grid`. The iterations
// of a launch are the blocks. Other instructions get kernels of any size as well
// (SupportKernel.h).
#include "passes/lower/Passes.h"
#include "passes/lower/gpu/loops/GpuLoops.h"
#include "passes/lower/gpu/support/SupportKernel.h"
#include "passes/lower/host/EmitKernels.h"
#include "passes/lower/host/KernelSignature.h"

#include "dialects/task/EpilogueAttrs.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace pcc::lower {
#define GEN_PASS_DEF_EMITGPUKERNELS
#include "passes/lower/Passes.h.inc"

/// Annotates the buffers. A GPU may read buffers that the kernel only reads through a cache that is
/// not coherent.
static void annotateBuffers(LLVM::LLVMFuncOp function, const KernelSignature &signature) {
  OpBuilder b(function.getContext());
  for (int64_t buffer = 0; buffer < signature.numBuffers; ++buffer) {
    function.setArgAttr(buffer, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    function.setArgAttr(buffer, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
    if (!llvm::is_contained(signature.bufferOfResult, buffer))
      function.setArgAttr(buffer, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
  }
}

/// Emits one kernel and returns its number of blocks.
static int64_t emitGpuKernel(OpBuilder &builder, func::FuncOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), builder);
  KernelSignature signature(kernel);
  auto form = kernel->getAttrOfType<task::FormAttr>(formAttrName);
  GridShape shape = gridOf(kernel, form);
  SmallVector<Type> types(signature.numBuffers, LLVM::LLVMPointerType::get(b.getContext()));
  types.append(signature.numScalars, b.getI64Type());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getName(), type);
  function->setAttr(gridAttrName, b.getDenseI64ArrayAttr({shape.blocks, shape.threads}));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr(int32_t(shape.threads)));
  annotateBuffers(function, signature);

  OpBuilder::InsertionGuard guard(b);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto end = LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPoint(end);
  IndexMath math(b, entry);
  Elements elements(b, math);
  KernelBody body{kernel, form, elements, {}, {}};
  bindArguments(body, signature, entry->getArguments());
  GpuKernel whole{body, shape};
  emitGpuLoops(whole);
  return shape.blocks;
}

namespace {
struct EmitGpuKernels : impl::EmitGpuKernelsBase<EmitGpuKernels> {
  using EmitGpuKernelsBase::EmitGpuKernelsBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels = listKernels(module);
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    ArrayAttr targets; // MLIR reads digits from the chip's name; the emulator's has none
    if (chip != emulatorChip)
      targets = builder.getArrayAttr(
          NVVM::NVVMTargetAttr::get(&getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", chip));
    auto target = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels", targets);
    builder.setInsertionPointToStart(target.getBody());
    llvm::DenseMap<StringAttr, int64_t> blocks; ///< by kernel
    for (func::FuncOp kernel : kernels) {
      if (failed(checkKernel(kernel)))
        return signalPassFailure();
      blocks[kernel.getSymNameAttr()] = emitGpuKernel(builder, kernel);
      builder.setInsertionPointToEnd(target.getBody());
      kernel.erase();
    }
    if (tf32)
      module->setAttr(task::tf32AttrName, builder.getUnitAttr());
    if (failed(emitSupportKernels(module, target)))
      return signalPassFailure();
    module.walk([&](task::LaunchOp launch) {
      launch.setTrip(blocks.lookup(launch.getKernelAttr().getAttr()));
    });
  }
};
} // namespace
} // namespace pcc::lower
