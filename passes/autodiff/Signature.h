// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a training program, beyond what the roles of their arguments and results say.
#pragma once

#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::autodiff {

/// The names of the functions that this room makes and reads.
inline constexpr llvm::StringLiteral forwardName = "forward";
inline constexpr llvm::StringLiteral forwardLossName = "forward_loss";
inline constexpr llvm::StringLiteral forwardBackwardName = "forward_backward";
inline constexpr llvm::StringLiteral updateName = "update";
inline constexpr llvm::StringLiteral trainName = "train";

/// The name in a role, "" if it has none.
llvm::StringRef nameOf(graph::RoleAttr role);

/// { graph.role = #graph.role<kind "name"> }; no name for "".
mlir::DictionaryAttr roleAttributes(mlir::MLIRContext *context, graph::RoleKind kind,
                                    llvm::StringRef name = "");

/// Whether `value` is a function argument with the role of a parameter.
bool isParameter(mlir::Value value);

/// A function with one block that ends with a return, or null after an error; `cure` says how to
/// get the function where there is none.
mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name, llvm::StringRef cure);

/// The return of a function of one block.
mlir::func::ReturnOp getReturn(mlir::func::FuncOp function);

/// Lets `function` return the loss and, as before, the updated parameters; outputs are dropped.
void returnLoss(mlir::func::FuncOp function, mlir::Value loss);

/// The shape of `type` with elements f32: the type in which gradients leave a section and are
/// accumulated.
mlir::RankedTensorType accumulatedType(mlir::Type type);

} // namespace pcc::autodiff
