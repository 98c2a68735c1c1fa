// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the volume of a direct exchange of blocks from the two cuts alone. No rank is visited,
// so the cost of a search does not grow with the number of ranks.
//
//   from     to       mesh      elements received          messages
//   [x, _]   [_, x]   x=2       half of the target block   1
//   [x, _]   [_, _]   x=4       three quarters             3
//   [x.y]    [y.x]    x=2, y=4  the whole block            1, a permutation
//   [x, _]   [x.y, _]           nothing: each has its own  0
#pragma once

#include "dialects/dist/Sharding.h"

namespace pcc::analysis {

struct ExchangeVolume {
  dist::AxisList axes;  ///< the group: all axes that cut either side, in the mesh's order
  int64_t elements = 0; ///< received by the busiest position
  int64_t messages = 0; ///< maximum number of sources of one position, without itself; may be one
                        ///< too many if numbers of blocks do not divide one another (2, 3)
  bool permutes =
      false; ///< every position takes the whole block of one source, which serves no other
};

/// Measures the exchange that BlockTable.h lists. Both shardings are legal for a tensor of `shape`
/// and share their partial axes.
ExchangeVolume measureExchange(const dist::Sharding &from, const dist::Sharding &to,
                               llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

} // namespace pcc::analysis
