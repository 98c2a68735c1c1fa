// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles of function arguments and results: their meaning in the model. An argument or result
// without a role has a null RoleAttr.
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace pcc::graph {

/// Name of the attribute that holds a RoleAttr.
inline constexpr llvm::StringLiteral roleAttrName = "graph.role";

/// Creates a role; an empty `name` means none.
RoleAttr makeRole(mlir::MLIRContext *context, RoleKind kind, llvm::StringRef name = "");

/// Returns the name in a role; empty for none, and for a null role.
llvm::StringRef getName(RoleAttr role);

RoleAttr getArgRole(mlir::FunctionOpInterface function, unsigned index);
RoleAttr getResultRole(mlir::FunctionOpInterface function, unsigned index);
void setArgRole(mlir::FunctionOpInterface function, unsigned index, RoleAttr role);
void setResultRole(mlir::FunctionOpInterface function, unsigned index, RoleAttr role);

/// Returns the index of the first argument or result with this kind and, unless `name` is empty,
/// this name.
std::optional<unsigned> findArg(mlir::FunctionOpInterface function, RoleKind kind,
                                llvm::StringRef name = "");
std::optional<unsigned> findResult(mlir::FunctionOpInterface function, RoleKind kind,
                                   llvm::StringRef name = "");

/// Returns the indices of all arguments or results of one kind, in order.
llvm::SmallVector<unsigned> findArgs(mlir::FunctionOpInterface function, RoleKind kind);
llvm::SmallVector<unsigned> findResults(mlir::FunctionOpInterface function, RoleKind kind);

} // namespace pcc::graph
