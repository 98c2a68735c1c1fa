// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_PASSES_LOWER_PASSES_TD
#define PCC_PASSES_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToTask : Pass<"lower-to-task", "::mlir::ModuleOp"> {
  let summary = "turn scheduled sections into a task program";
  let description = [{
    Each kernel becomes a function of core ops; equal kernels share one function. Each section
    becomes a list of instructions over buffers at the places of the memory plan. The sections and
    the step are gone afterwards.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def ShareKernels : Pass<"lower-share-kernels", "::mlir::ModuleOp"> {
  let summary = "move the kernels of stages into the enclosing module, equal ones once";
  let description = "Launches refer to the kernels there. A module without stages stays as it is.";
}

def EmitKernels : Pass<"lower-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "turn the kernels of a task module into functions of the LLVM dialect";
  let description = [{
    Emits loops over elements, which LLVM vectorizes later; see docs/spec/kernels.md. The program
    stays.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def EmitGpuKernels : Pass<"lower-emit-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "turn the kernels of a task module into functions that the threads of a GPU run";
  let description = [{
    The functions are in a `gpu.module`, take pointers, and carry `task.grid`: the number of blocks
    and of threads per block. The program stays.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90\"", "the architecture: sm_80, sm_90 or sm_100">,
    Option<"tf32", "tf32", "bool", /*default=*/"false",
           "instructions of f32 may round their factors to TF32: marks the module `task.tf32`">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def ConvertGpuKernels : Pass<"lower-convert-gpu-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "turn the kernels of a GPU into functions of the LLVM and NVVM dialects";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def EmulateGpuKernels : Pass<"lower-emulate-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "turn the kernels of a GPU into functions of the host that run a grid's threads one by one";
  let description = "Tests the loops of GPU kernels without a GPU; docs/spec/kernels.md lists the functions that they call.";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // PCC_PASSES_LOWER_PASSES_TD
