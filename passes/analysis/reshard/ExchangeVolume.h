// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The direct exchange of blocks between two shardings: its volume, and its moves. The volume is
// computed from the two cuts alone. No rank is visited, so the cost of a search does not grow with
// the number of ranks.
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

/// Measures the exchange that makeBlockTable lists. Both shardings are legal for a tensor of
/// `shape` and share their partial axes.
ExchangeVolume measureExchange(const dist::Sharding &from, const dist::Sharding &to,
                               llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

//===-- BlockTable.cpp ------------------------------------------------------------------------===//

// Lists the moves of the exchange: each rank receives exactly the elements that it lacks. The table
// depends on the two cuts alone. Partial axes, which both shardings must share, take no part.

/// One box of elements that position `target` of the group takes from position `source`.
struct BlockMove {
  int64_t target, source;
  llvm::SmallVector<int64_t, 4> sourceOffset, size, targetOffset; ///< in the local blocks

  int64_t getNumElements() const;
};

struct BlockTable {
  dist::AxisList axes;          ///< the group: all axes that cut either side, in the mesh's order
  std::vector<BlockMove> moves; ///< by target, then by the source's place in the tensor
};

/// Returns the exchange from `from` to `to` of a tensor of `shape`. If several ranks hold a block,
/// the one that differs from the target along the fewest axes sends it. This spreads the load
/// evenly.
BlockTable makeBlockTable(const dist::Sharding &from, const dist::Sharding &to,
                          llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

} // namespace pcc::analysis
