// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts loops of arith and math to the LLVM dialect. Functions of one number become polynomials,
// which vectorize. Functions for which MLIR has no polynomial of full accuracy stay intrinsics. The
// polynomials are for f32; functions of f64 become calls of the C library.
#include "passes/lower/host/ConvertToLLVM.h"
#include "passes/lower/host/EmitKernels.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace pcc::lower {

/// MLIR's sine and cosine polynomials lose all digits for large arguments, so both functions stay
/// calls.
LogicalResult approximateMath(Operation *kernels) {
  RewritePatternSet patterns(kernels->getContext());
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained({math::ExpOp::getOperationName(), math::ExpM1Op::getOperationName(),
                               math::LogOp::getOperationName(), math::Log1pOp::getOperationName(),
                               math::TanhOp::getOperationName(), math::ErfOp::getOperationName()},
                              name);
  });
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  return applyPatternsGreedily(kernels, std::move(patterns), config);
}

void populateKernelPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
}

namespace {
/// Calls a function of the C library for f64. LLVM has no intrinsic for it, or MLIR would expand it
/// and lose digits.
template <typename OpT> struct CallOfDouble : OpConversionPattern<OpT> {
  CallOfDouble(MLIRContext *context, StringRef name)
      : OpConversionPattern<OpT>(context, /*benefit=*/2), name(name) {}
  LogicalResult matchAndRewrite(OpT op, typename OpT::Adaptor operands,
                                ConversionPatternRewriter &b) const override {
    Type type = op.getType();
    if (!type.isF64())
      return failure();
    auto module = op->template getParentOfType<ModuleOp>();
    SmallVector<Type> parameters(op->getNumOperands(), type);
    FailureOr<LLVM::LLVMFuncOp> function =
        LLVM::lookupOrCreateFn(b, module, name, parameters, type);
    if (failed(function))
      return failure();
    b.replaceOpWithNewOp<LLVM::CallOp>(op, *function, operands.getOperands());
    return success();
  }
  StringRef name;
};
} // namespace

void populateDoubleFunctions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<CallOfDouble<math::ErfOp>>(context, "erf");
  patterns.add<CallOfDouble<math::ExpM1Op>>(context, "expm1");
  patterns.add<CallOfDouble<math::Log1pOp>>(context, "log1p");
  patterns.add<CallOfDouble<math::TanhOp>>(context, "tanh");
}

LogicalResult convertToLLVM(ModuleOp kernels) {
  if (failed(approximateMath(kernels)))
    return failure();
  disableUnsafeVectorization(kernels);
  MLIRContext *context = kernels.getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateKernelPatterns(converter, patterns);
  populateDoubleFunctions(patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(kernels, target, std::move(patterns));
}

} // namespace pcc::lower
