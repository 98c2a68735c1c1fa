// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the moves of a direct exchange of blocks between two shardings: each rank receives exactly
// the elements that it lacks. The table depends on the two cuts alone. Partial axes, which both
// shardings must share, take no part. ExchangeVolume.h gives the volume without the table.
#pragma once

#include "dialects/dist/Sharding.h"

namespace pcc::analysis {

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
