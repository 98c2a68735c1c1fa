// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases of OpCases.h that are written by hand, each list the text of a module.
#pragma once

namespace pcc::test {

extern const char elementwiseCases[]; ///< that need attributes, other types, or numbers above zero
extern const char contractionCases[]; ///< products, reductions, losses
extern const char alongAxisCases[];   ///< einsum, and what looks at all elements along an axis
extern const char attentionCases[];   ///< attention, its gradient, the embedding of positions
extern const char normalCases[];      ///< normal forms, dropout, other losses
extern const char windowCases[];      ///< convolutions, pooling
extern const char shapeCases[];
extern const char leafAndStepCases[]; ///< constants, random numbers, optimizer steps

} // namespace pcc::test
