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

/// Returns the share of the scores that a causal attention computes, if its last query sees all
/// keys. A block of queries with an offset costs so much on the rank that has the last block.
inline double causalShare(double queries, double keys) {
  return queries <= keys ? 1 - queries / keys / 2 : keys / queries / 2;
}

} // namespace pcc::machine
