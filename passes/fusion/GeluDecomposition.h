// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds gelu by the tanh formula, and its derivative, in arithmetic ops, however they are written.
// The exact form of gelu, with erf, is not found. When kernels are chosen, function and derivative
// are decompositions that share ops, with constants multiplied in varying order. So they are not
// matched by their structure. A value that elementwise ops compute from one other value and
// constants is a function of one number. Two functions made of sums, multiplications and one tanh
// are considered equal if they agree up to rounding at many points.
#pragma once

#include "dialects/graph/Graph.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::fusion {

enum class GeluPart { Function, Derivative };

/// Whether `value` is this function of `operand`, element by element.
bool isGelu(GeluPart part, mlir::Value value, mlir::Value operand);

/// Returns a value that is gelu of `operand`, computed from `operand` and constants. An op outside
/// the decomposition must read it. Returns null if there is none.
mlir::Value findGelu(mlir::Value operand);

/// Returns the value at which `derivative` is the derivative of gelu; null if there is none.
mlir::Value findOperandOfDerivative(mlir::Value derivative);

/// Returns the ops that compute `value` from `operand`, in program order, without constants and
/// their broadcasts. `value` must depend on `operand` and constants alone, as isGelu proves, with
/// all ops in one block.
llvm::SetVector<mlir::Operation *> decompositionOf(mlir::Value value, mlir::Value operand);

} // namespace pcc::fusion
