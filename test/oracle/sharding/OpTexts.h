// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written cases of OpCases.h; each list is the text of a module.
#pragma once

namespace pcc::test {

extern const char elementwiseCases[]; ///< with attributes, other types, or positive numbers
extern const char contractionCases[]; ///< matmuls, reductions, losses
extern const char alongAxisCases[];   ///< einsum, and ops that depend on all elements along an axis
extern const char attentionCases[];   ///< attention, its gradient, the embedding of positions
extern const char normalCases[];      ///< normalizations, dropout, other losses
extern const char windowCases[];      ///< convolutions, pooling
extern const char shapeCases[];
extern const char leafAndStepCases[]; ///< constants, random numbers, optimizer steps

} // namespace pcc::test
