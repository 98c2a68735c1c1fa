// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on shapes, away from any IR.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace pcc::import {

using Shape = llvm::SmallVector<int64_t>;

/// `[2, 3]`.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// Whether all sizes are at least 0 and the tensor's bytes can be counted in 63 bits.
bool isAddressable(llvm::ArrayRef<int64_t> shape);

/// The shape that two shapes broadcast to by numpy's rules; nothing where they do not.
std::optional<Shape> commonShape(llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y);

/// Whether `permutation` exchanges the last two dimensions and nothing else.
bool swapsLastTwo(llvm::ArrayRef<int64_t> permutation);

/// Rows and columns of the matrices in `shape` (rank at least 2), after transposing if asked.
std::pair<int64_t, int64_t> matrixSizes(llvm::ArrayRef<int64_t> shape, bool isTransposed);

} // namespace pcc::import
