// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intersects the target's block with the source blocks, one dimension after the other. A source
// starts at the target's coordinates and changes only along axes that cut the source. So the sender
// is the nearest holder.

#include "passes/analysis/reshard/ExchangeVolume.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::analysis {
namespace {

/// Lists the moves of one exchange, target by target.
class MoveLister {
public:
  MoveLister(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape, const Mesh &mesh)
      : from(from), to(to), mesh(mesh), group(makeGroup(from, to, shape, mesh)),
        sourceShape(from.getLocalShape(shape, mesh)), targetShape(to.getLocalShape(shape, mesh)) {}

  BlockTable list() {
    for (int64_t target = 0, count = group.getNumRanks(); target < count; ++target)
      addMoves({target, 0, {}, {}, {}}, group.getCoordinates(target));
    return std::move(table);
  }

private:
  using Coordinates = SmallVector<int64_t, 4>;

  /// Returns the mesh of the group's axes alone; its ranks are the positions in the group.
  Mesh makeGroup(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape,
                 const Mesh &mesh) {
    table.axes = measureExchange(from, to, shape, mesh).axes;
    SmallVector<dist::MeshAxis> axes;
    for (const std::string &axis : table.axes)
      axes.push_back({axis, mesh.getSize(StringRef(axis))});
    return Mesh(axes);
  }

  /// Adds a dimension to the boxes of a target: one box for each source block that the target's
  /// block touches there. `source` begins as the target's coordinates. A source block fixes the
  /// coordinates along its own axes, so the nearest holder is found.
  void addMoves(BlockMove move, Coordinates source) {
    int64_t dim = move.size.size();
    if (dim == from.getRank()) {
      move.source = group.getRank(source);
      table.moves.push_back(std::move(move));
      return;
    }
    int64_t sourceSize = sourceShape[dim], targetSize = targetShape[dim];
    int64_t targetStart = group.getPosition(move.target, to.getDim(dim)) * targetSize;
    int64_t targetEnd = targetStart + targetSize;
    if (targetSize == 0)
      return;
    for (int64_t block = targetStart / sourceSize; block * sourceSize < targetEnd; ++block) {
      int64_t sourceStart = block * sourceSize;
      int64_t start = std::max(sourceStart, targetStart);
      BlockMove longer = move;
      longer.sourceOffset.push_back(start - sourceStart);
      longer.targetOffset.push_back(start - targetStart);
      longer.size.push_back(std::min(sourceStart + sourceSize, targetEnd) - start);
      setPosition(source, from.getDim(dim), block);
      addMoves(std::move(longer), source);
    }
  }

  /// Moves `coordinates` to `position` along `axes`.
  void setPosition(Coordinates &coordinates, const AxisList &axes, int64_t position) const {
    for (const std::string &axis : reverse(axes)) {
      int64_t size = mesh.getSize(StringRef(axis));
      coordinates[*group.findAxis(axis)] = position % size;
      position /= size;
    }
  }

  const Sharding &from, &to;
  const Mesh &mesh;
  BlockTable table;
  Mesh group;
  SmallVector<int64_t, 4> sourceShape, targetShape;
};

} // namespace

int64_t BlockMove::getNumElements() const { return product_of(size); }

BlockTable makeBlockTable(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape,
                          const Mesh &mesh) {
  return MoveLister(from, to, shape, mesh).list();
}

} // namespace pcc::analysis
