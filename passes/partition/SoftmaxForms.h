// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of softmax, its logarithm and its cross entropy. Split along the classes (a
// vocabulary), each rank reduces its own and two small all-reduces join the maxima and the sums of
// powers:
//
//   m = all_reduce max (max x)    s = all_reduce sum (Σ exp(x - m))    softmax = exp(x - m) / s
//
// which moves two numbers a sample where gathering the classes would move all of them (Megatron-LM,
// Shoeybi et al. 2019, section 3).
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches them; called when the graph dialect is loaded.
void attachSoftmaxForms(mlir::MLIRContext *context);

} // namespace pcc::partition
