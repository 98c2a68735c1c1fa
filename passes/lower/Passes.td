// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_PASSES_LOWER_PASSES_TD
#define PCC_PASSES_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrepareKernels : Pass<"lower-prepare-kernels", "::mlir::ModuleOp"> {
  let summary = "write out what the schedule must see: scales of sums over slots, pieces of splits";
  let description = [{
    A value that a step sums over its slots arrives in f32 and unscaled where a later section takes
    it; this pass multiplies and casts it there, behind a collective if that is its only reader.
    Splits become slices, so that every op has one result. Products and convolutions of types that
    the device does not multiply become those of f32, whose results are rounded.
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
  let summary = "reduces to few values in two steps, for the blocks of a GPU";
  let description = [{
    Rows next to each other become columns, as many as keep a GPU busy; of rows whose elements are
    apart, as those of a channel are, the runs that are not. A second reduction combines what these
    give. Types of fewer bits are reduced in f32. Sums that products have in their records stay.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def LowerToTask : Pass<"lower-to-task", "::mlir::ModuleOp"> {
  let summary = "turn scheduled sections into a task program";
  let description = [{
    Each kernel becomes a function of core ops, equal ones once; each section a list of records over
    buffers at the places of the memory plan. The sections and the step are gone afterwards.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def ShareKernels : Pass<"lower-share-kernels", "::mlir::ModuleOp"> {
  let summary = "moves the kernels of stages into the module around them, equal ones once";
  let description = "Launches name them there. A module without stages stays as it is.";
}

def EmitKernels : Pass<"lower-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "turn the kernels of a task module into functions of the LLVM dialect";
  let description = [{
    Loops over elements, vectorised later by LLVM; see docs/spec/kernels.md. The program stays.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def EmitGpuKernels : Pass<"lower-emit-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "turn the kernels of a task module into functions that the threads of a GPU run";
  let description = [{
    They come into a `gpu.module`, on pointers, with `task.grid`: blocks and threads of a block. The program stays.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90\"", "the architecture: sm_80, sm_90 or sm_100">,
    Option<"tf32", "tf32", "bool", /*default=*/"false",
           "records of f32 may round their factors to TF32: marks the module `task.tf32`">,
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
  let description = "For tests of the loops of GPUs where none is; docs/spec/kernels.md has the functions that they call.";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // PCC_PASSES_LOWER_PASSES_TD
