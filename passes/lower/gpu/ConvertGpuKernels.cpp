// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ConvertGpuKernels: converts GPU kernels to the LLVM and NVVM dialects.
//
// exp, expm1, log, log1p, tanh and erf of f32 become the polynomials of the host, so that both
// compute the same. Those of f64, and sin, cos, powers and remainders become calls of NVIDIA's
// libdevice. Other functions, such
// as square roots, have instructions.
#include "passes/lower/Passes.h"
#include "passes/lower/host/ConvertToLLVM.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace pcc::lower {
#define GEN_PASS_DEF_CONVERTGPUKERNELS
#include "passes/lower/Passes.h.inc"

static LogicalResult callLibdevice(Operation *kernels) {
  LLVMTypeConverter converter(kernels->getContext());
  RewritePatternSet patterns(kernels->getContext());
  populateLibDeviceConversionPatterns(converter, patterns);
  ConversionTarget target(*kernels->getContext());
  target.addIllegalOp<arith::RemFOp, math::CosOp, math::PowFOp, math::SinOp>();
  target.addDynamicallyLegalOp<math::ErfOp, math::ExpM1Op, math::ExpOp, math::Log1pOp, math::LogOp,
                               math::TanhOp>(
      [](Operation *op) { return !op->getResult(0).getType().isF64(); });
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(kernels, target, std::move(patterns));
}

namespace {
struct ConvertGpuKernels : impl::ConvertGpuKernelsBase<ConvertGpuKernels> {
  void runOnOperation() override {
    if (failed(approximateMath(getOperation())) || failed(callLibdevice(getOperation())))
      return signalPassFailure();
    LLVMTypeConverter converter(&getContext());
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(&getContext());
    populateKernelPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    // Preferred to the calls of libdevice into which the GPU patterns would turn the other
    // functions: libdevice's square root is approximate, and libdevice is not installed everywhere.
    populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false,
                                         /*benefit=*/2);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace pcc::lower
