// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The windows of a max_pool whose gradient a kernel computes. The planes of the batch and the
// channels are independent; each has windows at `pooled` positions over an image.
#pragma once

#include "dialects/graph/Window.h"
#include "passes/lower/elements/Elements.h"

namespace pcc::lower {

/// The windows' form and number.
struct MaxPoolSizes {
  explicit MaxPoolSizes(graph::MaxPoolGradientOp op);

  graph::Window window;
  llvm::ArrayRef<int64_t> image, pooled; ///< rows and columns of elements, and of windows
  int64_t planes;
  int64_t area; ///< elements of a plane
};

class MaxPoolWindows : public MaxPoolSizes {
public:
  MaxPoolWindows(Elements &elements, graph::MaxPoolGradientOp op)
      : MaxPoolSizes(op), elements(elements), op(op) {}

  /// Returns the index of an element of one plane of the input or of the gradient.
  Index indexOf(mlir::Value tensor, mlir::Value plane, mlir::Value row, mlir::Value column);

  /// Returns the position in the plane of a window's greatest element; -1 if the window holds only
  /// padding.
  mlir::Value findGreatest(mlir::Value plane, mlir::Value row, mlir::Value column);

  /// Returns the gradient of a window.
  mlir::Value gradientOf(mlir::Value plane, mlir::Value row, mlir::Value column) {
    return elements.at(op.getGradient(), indexOf(op.getGradient(), plane, row, column));
  }

private:
  using Values = llvm::SmallVector<mlir::Value>;
  Values find(mlir::Value plane, llvm::ArrayRef<mlir::Value> at, unsigned dim, mlir::Value inside,
              llvm::ArrayRef<mlir::Value> positions, mlir::ValueRange best);
  Values better(mlir::Value plane, mlir::Value inside, llvm::ArrayRef<mlir::Value> positions,
                mlir::ValueRange best);

  Elements &elements;
  graph::MaxPoolGradientOp op;
};

} // namespace pcc::lower
