// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs functions and training steps of a module on as many ranks as its mesh has. Values go in and
// come out global: they are cut and joined by the shardings at the functions' boundaries (partial
// results are summed), so that the caller sees one device whatever the stage of the module. Errors
// are diagnostics on the module's context.
#pragma once

#include "compiler/interpret/Signature.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::interpret {

/// The factors by which a program's gradients differ from those of one device, by parameter.
using GradientFactors = std::map<std::string, double>;

struct RunOptions {
  Precision precision = Precision::Element;
  /// Gradients of these parameters are multiplied when a function returns them: what the partition
  /// of another module has built in.
  GradientFactors gradientFactors;
};

/// The results of function `name` on global `arguments`, which must have every key of its
/// signature. Ranks that should hold equal copies of a result and do not are an error.
mlir::FailureOr<NamedTensors> runFunction(mlir::ModuleOp module, llvm::StringRef name,
                                          const NamedTensors &arguments,
                                          const RunOptions &options = {});

/// As `runFunction` on each rank's own values and without cutting and joining: `arguments[r]` and
/// the result's entry r belong to rank r.
mlir::FailureOr<std::vector<llvm::SmallVector<Tensor>>>
runOnRanks(mlir::func::FuncOp function, llvm::ArrayRef<llvm::SmallVector<Tensor>> arguments,
           const RunOptions &options = {});

/// The factors still to be applied in `module`: `dist.gradient_factor` of its functions' results.
GradientFactors gradientFactors(mlir::ModuleOp module);

} // namespace pcc::interpret
