// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipe dialect: when work runs.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "dialects/pipe/PipeDialect.h.inc"
#include "dialects/pipe/PipeEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/pipe/PipeAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/pipe/PipeOps.h.inc"

namespace pcc::pipe {

/// On a result of a section: an AccumulateAttr.
inline constexpr llvm::StringLiteral accumulateAttrName = "pipe.accumulate";

/// A section of this name runs once, before the first step of a training.
inline constexpr llvm::StringLiteral startName = "start_training";

} // namespace pcc::pipe
