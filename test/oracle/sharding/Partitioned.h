// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with shardings at their boundary, on N ranks and on one device.
#pragma once

#include "compiler/interpret/compare/Compare.h"
#include "dialects/dist/Sharding.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include <random>

namespace pcc::test {

/// Lists every legal sharding of a tensor of `shape`. Each axis is unused, cuts a dimension, or is
/// partial; two axes of one dimension occur in both orders.
std::vector<dist::Sharding> listShardings(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

/// Picks a random legal sharding.
dist::Sharding pickSharding(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                            std::mt19937_64 &random);

/// Returns a type's text, for example `tensor<8x4xf32>`.
std::string typeText(llvm::ArrayRef<int64_t> shape, llvm::StringRef element = "f32");
/// Returns the text of an annotation, `{dist.sharding = #dist.sharding<…>}`.
std::string markText(const dist::Sharding &sharding);

/// Makes a context with the dialects of programs and their local forms.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Turns the program of all ranks, whose ops have shardings, into that of one rank.
mlir::LogicalResult partitionMarked(mlir::ModuleOp module);

/// Takes functions whose arguments and results have shardings, propagates these to the ops,
/// partitions, and compares with the same functions on one device. `functions` are texts of
/// `func.func`.
interpret::Report comparePartitioned(const std::string &functions, const dist::Mesh &mesh);
interpret::Report comparePartitioned(mlir::ModuleOp marked);

} // namespace pcc::test
