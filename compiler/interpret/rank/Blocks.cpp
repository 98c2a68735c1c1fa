// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dist::Sharding computes offsets, shapes and holders of blocks; this file adds partial values. A
// partial value is combined over its axes in the order of the group.
#include "compiler/interpret/rank/Blocks.h"

#include "compiler/values/Compute.h"
#include "compiler/values/Indexing.h"
#include "compiler/values/Map.h"
#include "compiler/values/Scalars.h"
#include "runtime/abi/Random.h"
#include <cmath>

using namespace pcc::dist;

namespace pcc::interpret {
namespace {

template <typename T> T combine(ReduceKind kind, T x, T y) {
  switch (kind) {
  case ReduceKind::Sum:
    return add(x, y);
  case ReduceKind::Max:
    return maximum(x, y);
  case ReduceKind::Min:
    return minimum(x, y);
  case ReduceKind::Prod:
    return multiply(x, y);
  }
  llvm_unreachable("every kind is listed");
}

Element neutralElement(ReduceKind kind, ElementType type) {
  switch (kind) {
  case ReduceKind::Sum:
    return {.i = 0};
  case ReduceKind::Prod:
    return isFloat(type) ? Element{.f = 1.0} : Element{.i = 1};
  case ReduceKind::Max:
    return isFloat(type) ? Element{.f = -HUGE_VAL} : Element{.i = minOf(type)};
  case ReduceKind::Min:
    return isFloat(type) ? Element{.f = HUGE_VAL} : Element{.i = maxOf(type)};
  }
  llvm_unreachable("every kind is listed");
}

Tensor cutBlock(const Tensor &whole, const Sharding &sharding, const Mesh &mesh, int64_t rank) {
  return extractBox(whole, sharding.getOffset(rank, whole.getShape(), mesh),
                    sharding.getLocalShape(whole.getShape(), mesh));
}

} // namespace

Tensor combine(ReduceKind kind, llvm::ArrayRef<Tensor> values) {
  Tensor result = values[0];
  for (const Tensor &value : values.drop_front()) {
    llvm::MutableArrayRef<Element> out = result.mutableElements();
    for (auto [x, y] : llvm::zip_equal(out, value.elements()))
      x = combineElements(result.getType(), x, y,
                          [kind](auto a, auto b) { return combine(kind, a, b); });
  }
  return result;
}

Tensor neutral(ReduceKind kind, const Tensor &like) {
  Tensor result(like.getType(), like.getShape());
  llvm::fill(result.mutableElements(), neutralElement(kind, like.getType()));
  return result;
}

Tensor cut(const Tensor &whole, const Sharding &sharding, const Mesh &mesh, int64_t rank) {
  Tensor block = cutBlock(whole, sharding, mesh, rank);
  if (mesh.getPosition(rank, sharding.getPartialAxes()) == 0)
    return block;
  return neutral(sharding.getPartialKind(), block);
}

Tensor splitRandomly(const Tensor &whole, const Sharding &sharding, const Mesh &mesh, int64_t rank,
                     uint64_t seed) {
  Tensor block = cutBlock(whole, sharding, mesh, rank);
  if (!sharding.isPartial())
    return block;
  uint64_t numHolders = mesh.getSize(sharding.getPartialAxes());
  uint64_t position = mesh.getPosition(rank, sharding.getPartialAxes());
  Element nothing = neutralElement(sharding.getPartialKind(), whole.getType());
  llvm::MutableArrayRef<Element> elements = block.mutableElements();
  for (size_t n = 0; n < elements.size(); ++n)
    if (abi::randomBits(seed, /*stream=*/0, n) % numHolders != position)
      elements[n] = nothing;
  return block;
}

Tensor join(llvm::ArrayRef<Tensor> blocks, const Sharding &sharding, const Mesh &mesh) {
  Tensor whole(blocks[0].getType(), sharding.getGlobalShape(blocks[0].getShape(), mesh));
  llvm::SmallVector<int64_t, 4> start(whole.getRank(), 0);
  for (int64_t rank = 0, ranks = mesh.getNumRanks(); rank < ranks; ++rank) {
    // Takes each block from its first holder, and the values of its ranks along the partial axes.
    if (sharding.getHolders(rank, mesh).front() != rank)
      continue;
    llvm::SmallVector<Tensor> parts;
    for (int64_t member : mesh.getGroup(rank, sharding.getPartialAxes()))
      parts.push_back(blocks[member]);
    Tensor block = combine(sharding.getPartialKind(), parts);
    insertBox(whole, sharding.getOffset(rank, whole.getShape(), mesh), block, start,
              block.getShape());
  }
  return whole;
}

std::optional<std::pair<int64_t, int64_t>>
findDifferentCopies(llvm::ArrayRef<Tensor> blocks, const Sharding &sharding, const Mesh &mesh) {
  AxisList owned = sharding.getSplitAxes(), copied;
  llvm::append_range(owned, sharding.getPartialAxes());
  for (const MeshAxis &axis : mesh.getAxes())
    if (!llvm::is_contained(owned, axis.name))
      copied.push_back(axis.name);
  for (int64_t rank = 0, ranks = mesh.getNumRanks(); rank < ranks; ++rank) {
    int64_t first = mesh.getGroup(rank, copied).front();
    if (!blocks[rank].identical(blocks[first]))
      return std::make_pair(first, rank);
  }
  return std::nullopt;
}

} // namespace pcc::interpret
