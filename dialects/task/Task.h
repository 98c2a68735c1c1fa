// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect: how a rank runs a program.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace pcc::task {
/// Returns the bytes of a tensor or buffer of static shape; i1 takes one byte per element.
int64_t bytesOf(mlir::ShapedType type);

/// Offsets of buffers and starts of spaces are multiples of this.
inline constexpr int64_t bufferAlignment = 64;

/// Names of the annotations on scheduled functions; the table in the dialect's description explains
/// them.
inline constexpr llvm::StringLiteral kernelAttrName = "task.kernel";
inline constexpr llvm::StringLiteral formsAttrName = "task.forms";
inline constexpr llvm::StringLiteral hoistedAttrName = "task.hoisted";
inline constexpr llvm::StringLiteral doneAttrName = "task.done";
inline constexpr llvm::StringLiteral placeAttrName = "task.place";
inline constexpr llvm::StringLiteral bytesAttrName = "task.bytes";
} // namespace pcc::task

#include "dialects/task/TaskDialect.h.inc"
#include "dialects/task/TaskEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/task/TaskAttrs.h.inc"

#include "dialects/task/TaskInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/task/TaskOps.h.inc"
