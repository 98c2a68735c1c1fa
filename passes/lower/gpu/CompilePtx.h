// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the NVVM dialect to PTX by LLVM, and to cubin by NVIDIA's assembler if there is one.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/lower/host/EmitKernels.h"

namespace pcc::lower {

/// A GPU for which code is generated.
struct GpuTarget {
  std::string chip;        ///< "sm_90"
  std::string ptxFeatures; ///< for LLVM
};
/// Returns the target of a supported chip; fails with the name of any other chip.
llvm::Expected<GpuTarget> findGpuTarget(llvm::StringRef chip);

/// Compiles the kernels of a module (after `--lower-convert-gpu-kernels`) to PTX for its chip.
llvm::Expected<std::string> compilePtx(mlir::gpu::GPUModuleOp kernels);

/// Assembles PTX to machine code, by the `ptxas` of the toolkit found when pcc was built, or on the
/// path. Returns an empty string if there is none; the driver then compiles the PTX when it loads
/// it.
llvm::Expected<std::string> assembleCubin(llvm::StringRef ptx, llvm::StringRef chip);

/// Returns whether the kernels of a module are for a GPU or its emulator.
bool hasGpuKernels(mlir::ModuleOp module);

/// Compiles and assembles the GPU kernels of a module.
llvm::Expected<KernelObject> compileGpuKernels(mlir::ModuleOp module);

} // namespace pcc::lower
