// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, types and signatures of the functions of a training program.
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/StageSections.h"

namespace pcc::autodiff {

/// Names of the functions that this room makes and reads.
inline constexpr llvm::StringLiteral forwardName = "forward";
inline constexpr llvm::StringLiteral forwardLossName = "forward_loss";
using analysis::forwardBackwardName;
inline constexpr llvm::StringLiteral updateName = "update";
inline constexpr llvm::StringLiteral trainName = "train";

/// Makes { graph.role = #graph.role<kind "name"> }; no name for "", and `dist.sharding` unless
/// null.
mlir::DictionaryAttr roleAttributes(mlir::MLIRContext *context, graph::RoleKind kind,
                                    llvm::StringRef name = "", dist::ShardingAttr sharding = {});

/// Inserts an argument of this kind and name at `position`, which is at most behind the others, and
/// returns it.
mlir::Value insertArgument(mlir::func::FuncOp function, unsigned position, mlir::Type type,
                           graph::RoleKind kind, llvm::StringRef name, mlir::Location loc);

/// Returns whether the types of `function` are those of one rank.
bool isLocal(mlir::func::FuncOp function);

/// Returns the sharding of argument `index` of a function of one rank's types; null without one,
/// and in other functions.
dist::ShardingAttr shardingOfArgument(mlir::func::FuncOp function, unsigned index);
dist::ShardingAttr boundaryOfResult(mlir::func::FuncOp function, unsigned index);

/// Returns the type in `function` of a value declared as `declared`: the type of a block if
/// `boundary`, as above, is given.
mlir::RankedTensorType typeInside(mlir::func::FuncOp function, mlir::RankedTensorType declared,
                                  dist::ShardingAttr boundary);

/// Returns whether `value` is a function argument with the role of a parameter.
bool isParameter(mlir::Value value);

/// Returns a function with one block that ends with a return, or null after an error. `cure` says
/// how to get a missing function.
mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name, llvm::StringRef cure);

/// Returns the return of a function of one block.
mlir::func::ReturnOp getReturn(mlir::func::FuncOp function);

/// Lets `function` return the loss, with this boundary, and the updated parameters and the counted
/// share as before. Outputs are dropped.
void returnLoss(mlir::func::FuncOp function, mlir::Value loss, dist::ShardingAttr boundary);

/// Returns the shape of `type` with elements f32: the type in which gradients leave a section and
/// are accumulated.
mlir::RankedTensorType accumulatedType(mlir::Type type);

} // namespace pcc::autodiff
