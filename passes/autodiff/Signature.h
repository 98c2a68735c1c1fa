// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a training program, beyond what the roles of their arguments and results say.
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/facts/StageSections.h"

namespace pcc::autodiff {

/// The names of the functions that this room makes and reads.
inline constexpr llvm::StringLiteral forwardName = "forward";
inline constexpr llvm::StringLiteral forwardLossName = "forward_loss";
using facts::forwardBackwardName;
inline constexpr llvm::StringLiteral updateName = "update";
inline constexpr llvm::StringLiteral trainName = "train";

/// { graph.role = #graph.role<kind "name"> }; no name for "", and `dist.sharding` unless null.
mlir::DictionaryAttr roleAttributes(mlir::MLIRContext *context, graph::RoleKind kind,
                                    llvm::StringRef name = "", dist::ShardingAttr sharding = {});

/// Whether the types of `function` are those of one rank.
bool isLocal(mlir::func::FuncOp function);

/// How argument `index` of a function of one rank's types lies in the whole; null where nothing is
/// said, and in other functions.
dist::ShardingAttr boundaryOfArgument(mlir::func::FuncOp function, unsigned index);
dist::ShardingAttr boundaryOfResult(mlir::func::FuncOp function, unsigned index);

/// The type in `function` of a value declared as `declared`: that of a block where `boundary`, as
/// above, is given.
mlir::RankedTensorType typeInside(mlir::func::FuncOp function, mlir::RankedTensorType declared,
                                  dist::ShardingAttr boundary);

/// Whether `value` is a function argument with the role of a parameter.
bool isParameter(mlir::Value value);

/// A function with one block that ends with a return, or null after an error; `cure` says how to
/// get the function where there is none.
mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name, llvm::StringRef cure);

/// The return of a function of one block.
mlir::func::ReturnOp getReturn(mlir::func::FuncOp function);

/// Lets `function` return the loss, with this boundary, and, as before, the updated parameters;
/// outputs are dropped.
void returnLoss(mlir::func::FuncOp function, mlir::Value loss, dist::ShardingAttr boundary);

/// The shape of `type` with elements f32: the type in which gradients leave a section and are
/// accumulated.
mlir::RankedTensorType accumulatedType(mlir::Type type);

} // namespace pcc::autodiff
