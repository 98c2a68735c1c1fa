// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the dimensions of a reshape.
#pragma once

#include "dialects/interfaces/FactorRule.h"

namespace pcc::graph {

/// Matches two shapes with equal numbers of elements from the slowest dimension on: each pair of
/// dimensions shares their greatest common divisor as a parallel factor, so that a block of it is
/// the same run of elements on both sides.
///
///   6x4 -> 2x3x4     ([i.j,k]) -> ([i,j,k])
///   2x3x4 -> 6x4     ([i,j,k]) -> ([i.j,k])
///   6x4 -> 4x6       ([i.j,m]) -> ([i.k,l]) {whole j, k, l, m}
///
/// If the rests of two dimensions have no common divisor, no faster dimension matches either. Then
/// all dimensions are whole up to the next place where both sides have passed the same number of
/// elements.
FactorRule matchReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

} // namespace pcc::graph
