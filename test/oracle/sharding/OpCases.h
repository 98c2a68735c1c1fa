// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small functions, one for each op that can be split in each form that differs in how it is split.
// The function is called by the op under test: `@reduce.max` tests the last graph.reduce in it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::test {

/// The cases written by hand, and one for each other elementwise op. Sizes are such that 2, 4, 6
/// and 8 ranks divide some of them into odd blocks, and small odd ones.
mlir::OwningOpRef<mlir::ModuleOp> makeOpCases(mlir::MLIRContext &context);

/// The name of the op under test: `graph.reduce`.
std::string getTestedName(mlir::func::FuncOp function);
/// The op under test; null if the function has none of that name.
mlir::Operation *findTested(mlir::func::FuncOp function);

/// The ops with a factor rule of which no case is a test.
std::vector<std::string> listForgotten(mlir::ModuleOp cases);

} // namespace pcc::test
