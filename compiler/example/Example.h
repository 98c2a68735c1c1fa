// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Example models: the common model families, of any size, as modules for the phase graph.
// Parameters are declared with the distribution of their initial values, so that a model of any
// size is a small file.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::example {

/// A size of a model that the user may choose.
struct SizeOption {
  llvm::StringLiteral name;
  int64_t value; ///< default; 0: `formula` of the other sizes
  llvm::StringLiteral formula = "";
};

/// All sizes of one model, by name.
using Sizes = llvm::StringMap<int64_t>;

struct Example {
  llvm::StringLiteral name, summary;
  llvm::ArrayRef<SizeOption> sizes;
  /// Returns an error for sizes that the model does not support; empty if there is none. All sizes
  /// are at least 1, or 0 for those of a formula.
  std::string (*check)(const Sizes &sizes);
  /// Returns an upper bound of the elements of each tensor of the model.
  double (*boundElements)(const Sizes &sizes);
  /// Builds the model with floats of `type`. `boundElements` must be at most graph::maxElements.
  mlir::OwningOpRef<mlir::ModuleOp> (*build)(const Sizes &sizes, mlir::FloatType type);
};

/// Returns all examples, sorted by name.
llvm::ArrayRef<Example> listExamples();

// Builders of the families, each in its own file.
mlir::OwningOpRef<mlir::ModuleOp> buildMlp(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildWideDeep(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildResnet(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildGpt(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildGpt2(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildBert(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildVit(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildLlama(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildMixtral(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildMoe(const Sizes &sizes, mlir::FloatType type);

} // namespace pcc::example
