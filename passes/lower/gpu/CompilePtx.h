// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the NVVM dialect to PTX by LLVM, and to cubin by NVIDIA's assembler where there is one.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/lower/EmitKernels.h"

namespace pcc::lower {

/// A GPU that code is generated for.
struct GpuTarget {
  std::string chip;        ///< "sm_90"
  std::string ptxFeatures; ///< for LLVM
};
/// Those that there is code for; error: the name of another one.
llvm::Expected<GpuTarget> findGpuTarget(llvm::StringRef chip);

/// The kernels of a module (after `--lower-convert-gpu-kernels`) as PTX for its chip.
llvm::Expected<std::string> compilePtx(mlir::gpu::GPUModuleOp kernels);

/// The machine code of PTX, by the `ptxas` of the toolkit found when pcc was built, or on the path.
/// Empty where there is none: the driver compiles the PTX when it loads it.
llvm::Expected<std::string> assembleCubin(llvm::StringRef ptx, llvm::StringRef chip);

/// Whether the kernels of a module are those of a GPU, or of its emulator.
bool hasGpuKernels(mlir::ModuleOp module);

/// Compiles and assembles them.
llvm::Expected<KernelObject> compileGpuKernels(mlir::ModuleOp module);

} // namespace pcc::lower
