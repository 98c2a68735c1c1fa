// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/BlockTable.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace pcc::facts {
namespace {

/// The ranks of one group, and where the block of each begins.
struct Side {
  SmallVector<SmallVector<int64_t, 4>> offsets; ///< by position
  SmallVector<int64_t, 4> blockShape;

  Side(const dist::Sharding &sharding, ArrayRef<int64_t> ranks, ArrayRef<int64_t> shape,
       const dist::Mesh &mesh)
      : blockShape(sharding.getLocalShape(shape, mesh)) {
    for (int64_t rank : ranks)
      offsets.push_back(sharding.getOffset(rank, shape, mesh));
  }
};

/// How far apart two positions are: the number of axes along which they differ. Of several holders
/// of a block the nearest sends it, which spreads the load evenly.
int64_t distance(int64_t a, int64_t b, ArrayRef<int64_t> sizes) {
  int64_t count = 0;
  for (int64_t size : reverse(sizes)) {
    count += a % size != b % size;
    a /= size;
    b /= size;
  }
  return count;
}

/// The elements that the target's block and the source's have in common; nothing if none.
std::optional<BlockMove> intersect(const Side &from, int64_t source, const Side &to,
                                   int64_t target) {
  BlockMove move{target, source, {}, {}, {}};
  for (size_t dim = 0; dim < from.blockShape.size(); ++dim) {
    int64_t sourceStart = from.offsets[source][dim], targetStart = to.offsets[target][dim];
    int64_t start = std::max(sourceStart, targetStart);
    int64_t end = std::min(sourceStart + from.blockShape[dim], targetStart + to.blockShape[dim]);
    if (end <= start)
      return std::nullopt;
    move.sourceOffset.push_back(start - sourceStart);
    move.targetOffset.push_back(start - targetStart);
    move.size.push_back(end - start);
  }
  return move;
}

} // namespace

int64_t BlockMove::getNumElements() const { return product_of(size); }

int64_t BlockTable::getReceived() const {
  std::map<int64_t, int64_t> received;
  for (const BlockMove &move : moves)
    if (move.source != move.target)
      received[move.target] += move.getNumElements();
  int64_t most = 0;
  for (auto [target, elements] : received)
    most = std::max(most, elements);
  return most;
}

int64_t BlockTable::getMessages() const {
  std::map<int64_t, int64_t> sources;
  int64_t most = 0;
  for (const BlockMove &move : moves)
    if (move.source != move.target)
      most = std::max(most, ++sources[move.target]);
  return most;
}

bool BlockTable::isPermutation() const {
  SmallVector<int64_t> sources;
  for (auto [index, move] : enumerate(moves)) {
    if (move.target != static_cast<int64_t>(index) || move.size != sourceShape ||
        is_contained(sources, move.source))
      return false;
    sources.push_back(move.source);
  }
  return true;
}

BlockTable makeBlockTable(const dist::Sharding &from, const dist::Sharding &to,
                          ArrayRef<int64_t> shape, const dist::Mesh &mesh) {
  BlockTable table;
  dist::AxisList fromAxes = from.getSplitAxes(), toAxes = to.getSplitAxes();
  SmallVector<int64_t> sizes;
  for (const dist::MeshAxis &axis : mesh.getAxes())
    if (is_contained(fromAxes, axis.name) || is_contained(toAxes, axis.name)) {
      table.axes.push_back(axis.name);
      sizes.push_back(axis.size);
    }
  dist::RankList ranks = mesh.getGroup(0, table.axes);
  Side sources(from, ranks, shape, mesh), targets(to, ranks, shape, mesh);
  table.sourceShape = sources.blockShape;
  std::map<SmallVector<int64_t, 4>, SmallVector<int64_t>> holders;
  for (auto [position, offset] : enumerate(sources.offsets))
    holders[offset].push_back(position);
  int64_t count = ranks.size();
  for (int64_t target = 0; target < count; ++target)
    for (const auto &[offset, positions] : holders) {
      auto nearest = llvm::min_element(positions, [&](int64_t a, int64_t b) {
        return distance(a, target, sizes) < distance(b, target, sizes);
      });
      if (std::optional<BlockMove> move = intersect(sources, *nearest, targets, target))
        table.moves.push_back(std::move(*move));
    }
  return table;
}

} // namespace pcc::facts
