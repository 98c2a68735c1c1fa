// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The direct exchange of blocks between two shardings: each rank receives exactly the elements that
// it lacks. A pure function of the two cuts; partial axes, which both must have in common, take no
// part.
#pragma once

#include "dialects/dist/Sharding.h"

namespace pcc::facts {

/// One box of elements that position `target` of the group takes from position `source`.
struct BlockMove {
  int64_t target, source;
  llvm::SmallVector<int64_t, 4> sourceOffset, size, targetOffset; ///< in the local blocks

  int64_t getNumElements() const;
};

struct BlockTable {
  dist::AxisList axes; ///< the group: all axes that cut either side
  std::vector<BlockMove> moves;
  llvm::SmallVector<int64_t, 4> sourceShape; ///< of a position's block before the exchange

  /// Elements that the busiest position receives from others.
  int64_t getReceived() const;
  /// The most sources, itself left out, from which one position receives.
  int64_t getMessages() const;
  /// True if every position takes the whole block of one source and none is a source twice.
  bool isPermutation() const;
};

/// The exchange from `from` to `to` of a tensor of `shape`.
BlockTable makeBlockTable(const dist::Sharding &from, const dist::Sharding &to,
                          llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

} // namespace pcc::facts
