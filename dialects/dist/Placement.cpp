// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a mesh in lists of blocks. A run of ranks at a fixed stride forms an axis while every step
// moves the block by the same amount. The end of the run is the next stride. The strides of several
// placements make one mesh if each divides the next.
#include "dialects/dist/Placement.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace pcc::dist {
namespace {

using Block = SmallVector<int64_t, 4>;

/// Products of the sizes of the fastest axes: 1, and the number of ranks, are always among them.
using Strides = std::set<int64_t>;

/// Returns the largest number of steps of `stride` ranks, from rank 0 on, that all move the block
/// by the same amount. The number divides the remaining ranks.
int64_t countEqualSteps(const Placement &placement, int64_t stride) {
  int64_t numRanks = placement.blocks.size(), steps = 1;
  const Block &move = placement.blocks[stride];
  auto isMultiple = [&](int64_t step) {
    for (auto [block, amount] : zip_equal(placement.blocks[step * stride], move))
      if (block != step * amount)
        return false;
    return true;
  };
  int64_t largest = 1;
  while (steps < numRanks / stride && isMultiple(steps))
    if ((numRanks / stride) % ++steps == 0)
      largest = steps;
  return largest;
}

/// Returns the strides of the coarsest grid that the placement follows: those at which the move per
/// step changes. Empty if it follows no grid.
Strides findStrides(const Placement &placement) {
  int64_t numRanks = placement.blocks.size();
  Strides strides = {1};
  for (int64_t stride = 1; stride < numRanks;) {
    int64_t steps = countEqualSteps(placement, stride);
    if (steps == 1)
      return {};
    strides.insert(stride *= steps);
  }
  return strides;
}

/// Adds `added` to `strides`. Returns false and changes nothing unless each stride divides the
/// next.
bool merge(Strides &strides, const Strides &added) {
  Strides all = strides;
  all.insert(added.begin(), added.end());
  for (auto low = all.begin(), high = std::next(low); high != all.end(); ++low, ++high)
    if (*high % *low)
      return false;
  strides = std::move(all);
  return true;
}

Mesh makeMesh(const Strides &strides) {
  SmallVector<MeshAxis> axes;
  SmallVector<int64_t> products(strides.rbegin(), strides.rend());
  for (size_t index = 0; index + 1 < products.size(); ++index)
    axes.push_back({makeAxisName(index), products[index] / products[index + 1]});
  return Mesh(axes);
}

/// An axis of the mesh that moves the blocks of a dimension.
struct Mover {
  int64_t amount;
  const MeshAxis *axis;
};

/// Returns the axes of each dimension, slowest first; nothing if an axis moves blocks of two
/// dimensions, or backwards.
std::optional<SmallVector<AxisList>> findAxes(const Placement &placement, const Mesh &mesh) {
  std::vector<SmallVector<Mover>> movers(placement.counts.size());
  int64_t stride = placement.blocks.size();
  for (const MeshAxis &axis : mesh.getAxes()) {
    stride /= axis.size;
    unsigned numMoved = 0;
    if (axis.size == 1)
      continue;
    for (auto [dim, amount] : enumerate(placement.blocks[stride]))
      if (amount != 0) {
        movers[dim].push_back({amount, &axis});
        ++numMoved;
      }
    if (numMoved > 1)
      return std::nullopt;
  }
  SmallVector<AxisList> axes;
  for (SmallVector<Mover> &list : movers) {
    stable_sort(list, [](const Mover &a, const Mover &b) { return a.amount > b.amount; });
    AxisList &names = axes.emplace_back();
    for (const Mover &mover : list)
      names.push_back(mover.axis->name);
  }
  return axes;
}

} // namespace

Placement getPlacement(const Sharding &sharding, const Mesh &mesh) {
  Placement placement;
  for (int64_t dim = 0; dim < sharding.getRank(); ++dim)
    placement.counts.push_back(sharding.getShardCount(dim, mesh));
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    Block &block = placement.blocks.emplace_back();
    for (const AxisList &axes : sharding.getDims())
      block.push_back(mesh.getPosition(rank, axes));
  }
  return placement;
}

std::optional<Sharding> findSharding(const Placement &placement, const Mesh &mesh) {
  if (mesh.getNumRanks() != static_cast<int64_t>(placement.blocks.size()))
    return std::nullopt;
  std::optional<SmallVector<AxisList>> axes = findAxes(placement, mesh);
  if (!axes)
    return std::nullopt;
  Sharding sharding(*axes);
  return getPlacement(sharding, mesh) == placement ? std::optional(sharding) : std::nullopt;
}

std::optional<Mesh> findMesh(ArrayRef<Placement> placements, int64_t numRanks, size_t &misfit) {
  Strides strides = {1, numRanks};
  for (auto [index, placement] : enumerate(placements)) {
    misfit = index;
    Strides own = findStrides(placement);
    if (numRanks > 1 &&
        (own.empty() || !merge(strides, own) || !findSharding(placement, makeMesh(strides))))
      return std::nullopt;
  }
  return makeMesh(strides);
}

} // namespace pcc::dist
