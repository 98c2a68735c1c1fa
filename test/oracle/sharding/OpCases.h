// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small functions, one for each splittable op in each form that is split differently. The function
// has the name of the op under test: `@reduce.max` tests the last graph.reduce in it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::test {

/// Makes the hand-written cases, and one for each other elementwise op. Some sizes are divided by
/// 2, 4, 6 and 8 ranks into odd blocks, and some are small and odd.
mlir::OwningOpRef<mlir::ModuleOp> makeOpCases(mlir::MLIRContext &context);

/// Returns the name of the op under test, for example `graph.reduce`.
std::string getTestedName(mlir::func::FuncOp function);
/// Returns the op under test; null if the function has no op of that name.
mlir::Operation *findTested(mlir::func::FuncOp function);

/// Returns the ops with a factor rule that no case tests.
std::vector<std::string> listForgotten(mlir::ModuleOp cases);

} // namespace pcc::test
