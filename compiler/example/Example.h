// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models to try things on: the families that people train, of any size, as modules of the graph
// stage. Parameters are declared with the distribution of their first values, so that a model of
// any size is a small file.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::example {

/// A size of a model that may be chosen.
struct SizeOption {
  llvm::StringLiteral name;
  int64_t value; ///< if nothing is chosen
};

/// The chosen sizes of one model, by name; all that it has.
using Sizes = llvm::StringMap<int64_t>;

struct Example {
  llvm::StringLiteral name, summary;
  llvm::ArrayRef<SizeOption> sizes;
  /// What is wrong with sizes; empty if nothing is. All are at least 1.
  std::string (*check)(const Sizes &sizes);
  /// Of floats of this type.
  mlir::OwningOpRef<mlir::ModuleOp> (*build)(const Sizes &sizes, mlir::FloatType type);
};

/// All of them, by name.
llvm::ArrayRef<Example> listExamples();

// The families, each in its own file.
mlir::OwningOpRef<mlir::ModuleOp> buildMlp(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildWideDeep(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildResnet(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildGpt(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildGpt2(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildBert(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildVit(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildLlama(const Sizes &sizes, mlir::FloatType type);
mlir::OwningOpRef<mlir::ModuleOp> buildMoe(const Sizes &sizes, mlir::FloatType type);

} // namespace pcc::example
