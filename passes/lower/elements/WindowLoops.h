// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic of windows, for pooling and its gradient: the input position of a window's
// element, and whether it lies inside.
#pragma once

#include "dialects/graph/Window.h"
#include "passes/lower/elements/Elements.h"

namespace pcc::lower {

/// Returns the row (dim 0) or column (dim 1) that element `offset` of window `at` sees; may lie
/// outside.
mlir::Value emitWindowPosition(Elements &elements, const graph::Window &window, unsigned dim,
                               mlir::Value at, mlir::Value offset);

/// Returns whether such a position lies in [0, size); null if all positions of `resultSize` windows
/// do.
mlir::Value emitInside(Elements &elements, const graph::Window &window, unsigned dim,
                       mlir::Value position, int64_t size, int64_t resultSize);

} // namespace pcc::lower
