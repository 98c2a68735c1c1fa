// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipe dialect: when work runs.
#pragma once

#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/pipe/PipeDialect.h.inc"
#include "dialects/pipe/PipeEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/pipe/PipeAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/pipe/PipeOps.h.inc"

namespace pcc::pipe {

/// On a result of a section: an AccumulateAttr.
inline constexpr llvm::StringLiteral accumulateAttrName = "pipe.accumulate";

/// The stage that the user wants an op on; on a module inside a module: that it is the program of.
inline constexpr llvm::StringLiteral stageAttrName = "pipe.stage";
/// The chunk that an op belongs to.
inline constexpr llvm::StringLiteral chunkAttrName = "pipe.chunk";
/// On an op whose result is computed again for the gradients instead of being kept.
inline constexpr llvm::StringLiteral recomputeAttrName = "pipe.recompute";

/// On a parameter that stands for another one in a later chunk: that one's name.
inline constexpr llvm::StringLiteral copyOfAttrName = "pipe.copy_of";

/// On an argument that is an input: the copy whose rows it has, of a microbatch whose copies are
/// worked on together.
inline constexpr llvm::StringLiteral copyAttrName = "pipe.copy";

/// A section of this name runs once, before the first step of a training.
inline constexpr llvm::StringLiteral startName = "start_training";

} // namespace pcc::pipe
