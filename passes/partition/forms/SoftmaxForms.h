// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of softmax, its logarithm and its cross entropy. If the classes (a vocabulary) are
// split, each rank reduces its own classes. Two small all-reduces join the maxima and the sums of
// powers:
//
//   m = all_reduce max (max x)    s = all_reduce sum (Σ exp(x - m))    softmax = exp(x - m) / s
//
// This moves two numbers per sample, while gathering the classes would move all of them. Source:
// Megatron-LM, Shoeybi et al. 2019, section 3.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches the local forms; called when the graph dialect is loaded.
void attachSoftmaxForms(mlir::MLIRContext *context);

} // namespace pcc::partition
