// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement of a tensor: which block each rank holds, without a mesh. Files that list devices
// for every block describe placements.
//
//   [_, x] on the mesh x=2, y=2      rank   0      1      2      3
//                                    block  (0,0)  (0,0)  (0,1)  (0,1)
//
// A placement and a sharding without partial axes convert into each other, if the mesh has axes
// whose ranks are numbered in the order of the blocks.
#pragma once

#include "dialects/dist/Sharding.h"
#include <vector>

namespace pcc::dist {

struct Placement {
  /// Number of blocks of each dimension.
  llvm::SmallVector<int64_t, 4> counts;
  /// Index of the rank's block along each dimension, by rank.
  std::vector<llvm::SmallVector<int64_t, 4>> blocks;

  bool operator==(const Placement &) const = default;
};

/// Returns the blocks that the ranks of `mesh` hold of a tensor with this sharding. Ignores partial
/// axes.
Placement getPlacement(const Sharding &sharding, const Mesh &mesh);

/// Returns the sharding that places the blocks in this way on `mesh`; nothing if there is none.
std::optional<Sharding> findSharding(const Placement &placement, const Mesh &mesh);

/// Returns the coarsest mesh on which every placement is a sharding. Its axes are called x, y, z,
/// …, the slowest first. If there is none, returns nothing and sets `misfit` to the index of the
/// first placement that does not fit those before it. All placements have `numRanks` ranks.
std::optional<Mesh> findMesh(llvm::ArrayRef<Placement> placements, int64_t numRanks,
                             size_t &misfit);

} // namespace pcc::dist
