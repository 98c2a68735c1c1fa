// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on shapes.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace pcc::import {

using Shape = llvm::SmallVector<int64_t>;

/// Returns a shape as text, such as `[2, 3]`.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// Returns whether all sizes are at least 0, and a tensor of the graph dialect may have as many
/// elements (graph::maxElements).
bool isAddressable(llvm::ArrayRef<int64_t> shape);

/// Returns the sum of sizes of pieces; nothing if one is negative, or if the sum overflows.
std::optional<int64_t> sumSizes(llvm::ArrayRef<int64_t> sizes);

/// Returns the shape to which two shapes broadcast by numpy's rules; nothing if they do not
/// broadcast.
std::optional<Shape> commonShape(llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y);

/// Returns whether `permutation` exchanges the last two dimensions and nothing else.
bool swapsLastTwo(llvm::ArrayRef<int64_t> permutation);

/// Returns rows and columns of the matrices in `shape` (rank at least 2), after an optional
/// transpose.
std::pair<int64_t, int64_t> matrixSizes(llvm::ArrayRef<int64_t> shape, bool isTransposed);

} // namespace pcc::import
