// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the value class by arithmetic on block counts. Every rank's block follows from its
// position along the axes of each dimension. Verifies the rules C1 to C4 of a sharding.
#include "dialects/dist/Sharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace pcc;
using namespace pcc::dist;

Sharding::Sharding(ArrayRef<AxisList> dims, AxisList partialAxes, ReduceKind partialKind)
    : dims(dims), partialAxes(std::move(partialAxes)), partialKind(partialKind) {
  sort(this->partialAxes);
  if (this->partialAxes.empty())
    this->partialKind = ReduceKind::Sum;
}

Sharding Sharding::replicated(int64_t rank) {
  return Sharding(SmallVector<AxisList, 4>(rank, AxisList()));
}

bool Sharding::isSplit() const {
  return any_of(dims, [](const AxisList &axes) { return !axes.empty(); });
}

bool Sharding::uses(StringRef axis) const {
  return is_contained(partialAxes, axis) ||
         any_of(dims, [&](const AxisList &axes) { return is_contained(axes, axis); });
}

AxisList Sharding::getSplitAxes() const {
  AxisList all;
  for (const AxisList &axes : dims)
    all.append(axes);
  return all;
}

Sharding Sharding::withoutPartial() const { return Sharding(dims); }

Sharding Sharding::withPartial(AxisList axes, ReduceKind kind) const {
  return Sharding(dims, std::move(axes), kind);
}

int64_t Sharding::getShardCount(int64_t dim, const Mesh &mesh) const {
  return mesh.getSize(dims[dim]);
}

int64_t Sharding::getNumBlocks(const Mesh &mesh) const { return mesh.getSize(getSplitAxes()); }

SmallVector<int64_t, 4> Sharding::getLocalShape(ArrayRef<int64_t> globalShape,
                                                const Mesh &mesh) const {
  SmallVector<int64_t, 4> shape(globalShape);
  for (int64_t dim = 0; dim < getRank(); ++dim)
    shape[dim] /= getShardCount(dim, mesh);
  return shape;
}

SmallVector<int64_t, 4> Sharding::getGlobalShape(ArrayRef<int64_t> localShape,
                                                 const Mesh &mesh) const {
  SmallVector<int64_t, 4> shape(localShape);
  for (int64_t dim = 0; dim < getRank(); ++dim)
    shape[dim] *= getShardCount(dim, mesh);
  return shape;
}

SmallVector<int64_t, 4> Sharding::getOffset(int64_t rank, ArrayRef<int64_t> globalShape,
                                            const Mesh &mesh) const {
  SmallVector<int64_t, 4> offset = getLocalShape(globalShape, mesh);
  for (int64_t dim = 0; dim < getRank(); ++dim)
    offset[dim] *= mesh.getPosition(rank, dims[dim]);
  return offset;
}

RankList Sharding::getHolders(int64_t rank, const Mesh &mesh) const {
  AxisList split = getSplitAxes(), rest;
  for (const MeshAxis &axis : mesh.getAxes())
    if (!is_contained(split, axis.name))
      rest.push_back(axis.name);
  return mesh.getGroup(rank, rest);
}

std::string Sharding::verifyAxes(const Mesh &mesh) const {
  StringSet<> seen;
  for (const std::string &axis : concat<const std::string>(getSplitAxes(), partialAxes)) {
    if (!mesh.findAxis(axis)) // C2
      return ("axis \"" + Twine(axis) + "\" of sharding \"" + str() +
              "\" is not an axis of the mesh \"" + mesh.str() + "\"")
          .str();
    if (!seen.insert(axis).second) // C3
      return ("axis \"" + Twine(axis) + "\" occurs twice in sharding \"" + str() + "\"").str();
  }
  return "";
}

std::string Sharding::verify(ArrayRef<int64_t> globalShape, const Mesh &mesh) const {
  if (getRank() != static_cast<int64_t>(globalShape.size())) // C1
    return ("expected a sharding of " + Twine(globalShape.size()) + " dimensions, got \"" + str() +
            "\"")
        .str();
  if (std::string error = verifyAxes(mesh); !error.empty())
    return error;
  for (const auto &[dim, size] : enumerate(globalShape)) {
    int64_t count = getShardCount(dim, mesh);
    if (size % count) // C4
      return ("dimension " + Twine(dim) + " of size " + Twine(size) + " is not divisible by " +
              Twine(count) + " shards (\"" + join(dims[dim], ".") +
              "\"); counts that divide: " + listDivisors(size))
          .str();
  }
  return "";
}

void Sharding::print(raw_ostream &os) const {
  os << "[";
  interleaveComma(dims, os,
                  [&](const AxisList &axes) { os << (axes.empty() ? "_" : join(axes, ".")); });
  os << "]";
  if (isPartial())
    os << " partial(" << stringify(partialKind) << ": " << join(partialAxes, ", ") << ")";
}

std::string Sharding::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}

bool Sharding::operator==(const Sharding &other) const {
  return dims == other.dims && partialAxes == other.partialAxes && partialKind == other.partialKind;
}

std::string pcc::dist::listDivisors(int64_t size) {
  constexpr unsigned longest = 32;
  SmallVector<std::string> divisors;
  for (int64_t count = 1; count <= std::min(size, maxRanks); ++count)
    if (size % count == 0)
      divisors.push_back(std::to_string(count));
  if (divisors.size() > longest) {
    divisors.resize(longest);
    divisors.push_back("…");
  }
  return join(divisors, ", ");
}
