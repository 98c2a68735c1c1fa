// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of a matmul, on which its rate depends.

#pragma once

namespace pcc::machine {

/// `batch` matmuls of [rows, depth] by [depth, columns]. Sizes are fractional if only a part is
/// computed.
struct MatmulSize {
  double batch = 1, rows = 1, columns = 1, depth = 1;

  /// Counts a multiplication and an addition per element pair.
  double flops() const { return 2 * batch * rows * columns * depth; }
};

} // namespace pcc::machine
