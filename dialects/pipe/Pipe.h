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

/// Set on a result of a section: an AccumulateAttr.
inline constexpr llvm::StringLiteral accumulateAttrName = "pipe.accumulate";
/// Marks an argument that takes a sum over actions as it lies in memory. The value is the scale of
/// the accumulation (f64), with which the function itself multiplies the sum.
inline constexpr llvm::StringLiteral unscaledAttrName = "pipe.unscaled";

/// Stage that the user requests for an op; on a nested module: the stage whose program it is.
inline constexpr llvm::StringLiteral stageAttrName = "pipe.stage";
/// Virtual stage that an op belongs to.
inline constexpr llvm::StringLiteral virtualStageAttrName = "pipe.virtual_stage";
/// Set on an op whose result is recomputed for the gradients instead of being saved.
inline constexpr llvm::StringLiteral recomputeAttrName = "pipe.recompute";

/// Set on a parameter that stands for another one in a later virtual stage: the other's name.
inline constexpr llvm::StringLiteral copyOfAttrName = "pipe.copy_of";

/// Set on an input argument of a section that works on all copies of a microbatch together: the
/// copy whose rows the argument holds.
inline constexpr llvm::StringLiteral copyAttrName = "pipe.copy";

/// Name of a section that runs once, before the first step of a training.
inline constexpr llvm::StringLiteral startName = "start_training";

} // namespace pcc::pipe
