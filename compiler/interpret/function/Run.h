// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs functions and training steps of a module on as many ranks as its mesh has. Arguments and
// results are global values: shardings at the functions' boundaries cut and join them, and partial
// results are summed. For the caller, a module of any phase therefore behaves like one device.
// Errors are diagnostics on the module's context.
#pragma once

#include "compiler/interpret/function/Signature.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::interpret {

/// Factors by which a program's gradients differ from those of one device, by parameter.
using GradientFactors = std::map<std::string, double>;

struct RunOptions {
  Precision precision = Precision::Element;
  /// Factors for gradients that a function returns, which the partitioning of another module has
  /// already applied.
  GradientFactors gradientFactors;
};

/// Returns the results of function `name` on global `arguments`, which must have every key of its
/// signature. Emits an error if ranks should hold equal copies of a result but do not.
mlir::FailureOr<NamedTensors> runFunction(mlir::ModuleOp module, llvm::StringRef name,
                                          const NamedTensors &arguments,
                                          const RunOptions &options = {});

/// Same as `runFunction`, but on each rank's own values, without cutting and joining.
/// `arguments[r]` and entry r of the result belong to rank r.
mlir::FailureOr<std::vector<llvm::SmallVector<Tensor>>>
runOnRanks(mlir::func::FuncOp function, llvm::ArrayRef<llvm::SmallVector<Tensor>> arguments,
           const RunOptions &options = {});

/// Returns the factors still to be applied in `module`: `dist.gradient_factor` of its functions'
/// results.
GradientFactors gradientFactors(mlir::ModuleOp module);

} // namespace pcc::interpret
