// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_PASSES_LOWER_PASSES_TD
#define PCC_PASSES_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrepareKernels : Pass<"lower-prepare-kernels", "::mlir::ModuleOp"> {
  let summary = "make the scales of sums over actions and the parts of splits explicit as ops";
  let description = [{
    A value that a step sums over its actions arrives in f32 and unscaled in a later section. This
    pass multiplies and casts the value there, after a collective if that is its only reader. Splits
    become slices, so that every op has one result. Matmuls and convolutions of types that the
    device does not multiply become those of f32, and their results are rounded.
  }];
  let options = [
    Option<"multipliesHalf", "multiplies-half", "bool", /*default=*/"false",
           "the device multiplies f16, as GPUs do">,
    Option<"multipliesBFloat16", "multiplies-bf16", "bool", /*default=*/"true",
           "the device multiplies bf16, as GPUs and CPUs with AVX-512 do">,
  ];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def SplitReductions : Pass<"lower-split-reductions", "::mlir::ModuleOp"> {
  let summary = "split reductions to few values into two steps, for the blocks of a GPU";
  let description = [{
    Adjacent rows become columns, as many as keep a GPU busy. Rows whose elements are not adjacent,
    such as those of a channel, are first reduced over their contiguous runs. A second reduction
    combines the partial results. Types of fewer bits are reduced in f32. Sums that matmuls have in
    their instructions stay.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

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
