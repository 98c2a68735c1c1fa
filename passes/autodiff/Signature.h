// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions by the roles of their arguments and results (`graph.role`).
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::autodiff {

/// The names of the attribute and of the functions that this room makes and reads.
inline constexpr llvm::StringLiteral roleName = "graph.role";
inline constexpr llvm::StringLiteral forwardName = "forward";
inline constexpr llvm::StringLiteral forwardLossName = "forward_loss";
inline constexpr llvm::StringLiteral forwardBackwardName = "forward_backward";
inline constexpr llvm::StringLiteral updateName = "update";
inline constexpr llvm::StringLiteral trainName = "train";

/// The role of an argument or a result, null if it has none.
graph::RoleAttr argumentRole(mlir::func::FuncOp function, unsigned index);
graph::RoleAttr resultRole(mlir::func::FuncOp function, unsigned index);

/// Arguments or results with a role of `kind`, in order.
llvm::SmallVector<unsigned> argumentsOfKind(mlir::func::FuncOp function, graph::RoleKind kind);
llvm::SmallVector<unsigned> resultsOfKind(mlir::func::FuncOp function, graph::RoleKind kind);

/// The name in a role, "" if it has none.
llvm::StringRef nameOf(graph::RoleAttr role);

/// { graph.role = #graph.role<kind "name"> }; no name for "".
mlir::DictionaryAttr roleAttributes(mlir::MLIRContext *context, graph::RoleKind kind,
                                    llvm::StringRef name = "");

/// Whether `value` is a function argument with the role of a parameter.
bool isParameter(mlir::Value value);

/// A function with one block, or null after an error: "expected a function 'NAME' …".
mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name, llvm::StringRef cure);

/// The return of a function of one block.
mlir::func::ReturnOp getReturn(mlir::func::FuncOp function);

/// The shape of `type` with elements f32: the type in which gradients leave a section and are
/// accumulated.
mlir::RankedTensorType accumulatedType(mlir::Type type);

} // namespace pcc::autodiff
