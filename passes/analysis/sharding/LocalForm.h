// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interface of ops with a local form: a program that computes the block of one rank. Such an op may
// also be split along whole and window factors.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/FactorRule.h"

#include "passes/analysis/sharding/LocalForm.h.inc"

namespace pcc::analysis {

/// Returns whether `factor` of `op`'s rule may be split: parallel and reduced factors, and whole
/// factors for which the op has a local form.
bool isSplittable(mlir::Operation *op, const FactorRule &rule, unsigned factor);

} // namespace pcc::analysis
