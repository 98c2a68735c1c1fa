// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepts a strategy with an entry for the bias of a matmul or convolution. Other systems' ops take
// the bias as an operand. Here a bias is added by an op of its own, which follows the strategy.
//
//   Gemm(x, w, b)     ((2,1),(1,4),(4,))      as a user writes it
//   matmul(x, w)      ((2,1),(1,4))           as the matmul gets it
//
// The entry for the bias must equal the cut of the weight's columns, here 4.
#pragma once

#include "mlir/IR/Operation.h"
#include "passes/strategy/constraints/GivenStrategy.h"
#include <string>

namespace pcc::strategy {

/// Returns whether `given` has one entry more than `op` has operands, of one dimension, and the
/// result of `op` is the operand of an addition of a bias.
bool hasBiasEntry(mlir::Operation *op, const GivenStrategy &given);

/// Returns `given` without its entry for the bias.
GivenStrategy withoutBiasEntry(const GivenStrategy &given);

/// Returns why the entry for the bias is wrong, `expected X, got Y`; empty if the bias is cut as
/// the weight is.
std::string checkBiasEntry(mlir::Operation *op, const GivenStrategy &given);

} // namespace pcc::strategy
