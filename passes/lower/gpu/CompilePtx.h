// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the NVVM dialect to PTX by LLVM, and to cubin by NVIDIA's assembler where there is one.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"
#include <string>

namespace pcc::lower {

/// A GPU that code is generated for.
struct GpuTarget {
  std::string chip;        ///< "sm_90"
  std::string ptxFeatures; ///< for LLVM
};
/// Those that there is code for; error: the name of another one.
llvm::Expected<GpuTarget> findGpuTarget(llvm::StringRef chip);

/// The kernels of a module (after `--lower-convert-gpu-kernels`) as PTX.
llvm::Expected<std::string> compilePtx(mlir::gpu::GPUModuleOp kernels, const GpuTarget &target);

/// The machine code of PTX, by the `ptxas` of the toolkit found when pcc was built, or on the path.
/// Empty where there is none: the driver compiles the PTX when it loads it.
llvm::Expected<std::string> assembleCubin(llvm::StringRef ptx, const GpuTarget &target);

} // namespace pcc::lower
