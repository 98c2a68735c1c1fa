// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds gelu by the tanh formula, and its derivative, in arithmetic. By the time when kernels are
// chosen both are pieces that share some of each other, with constants that were multiplied in one
// order or another. So they are not recognised by their spelling: a value that elementwise ops make
// of one other value and constants is a function of one number, and two functions made of sums,
// products and one tanh that agree to rounding at many places are the same.
#pragma once

#include "dialects/graph/Graph.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::schedule {

enum class GeluPart { Function, Slope };

/// True if `value` is this function of `operand`, element by element.
bool isGelu(GeluPart part, mlir::Value value, mlir::Value operand);

/// A value made of `operand` and constants that is this function of it and is read by an op that
/// is not such a piece itself; null if there is none.
mlir::Value findGelu(mlir::Value operand);

/// The value of which `slope` is the slope of gelu; null if it is not.
mlir::Value findOperandOfSlope(mlir::Value slope);

/// The ops that make `value` of `operand`, in program order, without constants and their
/// repetitions.
llvm::SetVector<mlir::Operation *> piecesOf(mlir::Value value, mlir::Value operand);

} // namespace pcc::schedule
