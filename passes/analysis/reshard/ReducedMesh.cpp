// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/reshard/ReducedMesh.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::analysis {

/// Returns whether `second` directly follows `first` in `sharding`: in one dimension, or where
/// order means nothing.
static bool follows(StringRef first, StringRef second, const Sharding &sharding) {
  for (const AxisList &axes : sharding.getDims())
    for (size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i] == first && axes[i + 1] == second)
        return true;
  if (is_contained(sharding.getPartialAxes(), first))
    return is_contained(sharding.getPartialAxes(), second);
  return !sharding.uses(first) && !sharding.uses(second);
}

ReducedMesh::ReducedMesh(const Sharding &from, const Sharding &to, const Mesh &mesh, size_t maxAxes)
    : mesh(mesh), prefixes(from.getRank()) {
  for (const dist::MeshAxis &axis : mesh.getAxes())
    groups.push_back({axis.name});
  while (groups.size() > maxAxes && mergeTwo(from, to))
    ;
  while (groups.size() > maxAxes && dropOne(from, to))
    ;
  SmallVector<dist::MeshAxis> axes;
  for (const AxisList &group : groups)
    axes.push_back({join(group, "."), mesh.getSize(group)});
  reduced = Mesh(axes);
}

bool ReducedMesh::mergeTwo(const Sharding &from, const Sharding &to) {
  for (AxisList &one : groups)
    for (AxisList &other : groups) {
      if (&one == &other || !follows(one.back(), other.front(), from) ||
          !follows(one.back(), other.front(), to))
        continue;
      one.append(other);
      groups.erase(groups.begin() + (&other - groups.data()));
      return true;
    }
  return false;
}

/// Drops an axis that is the slowest left of the same dimension in both shardings, partial in both,
/// or unused in both.
bool ReducedMesh::dropOne(const Sharding &from, const Sharding &to) {
  auto isNext = [&](const AxisList &axes, size_t dropped, const AxisList &group) {
    return ArrayRef(axes).drop_front(dropped).take_front(group.size()) == ArrayRef(group);
  };
  for (AxisList &group : groups) {
    StringRef axis = group.front();
    if (is_contained(from.getPartialAxes(), axis) && is_contained(to.getPartialAxes(), axis)) {
      droppedPartial.append(group);
    } else if (from.uses(axis) || to.uses(axis)) {
      auto *prefix = find_if(prefixes, [&](const AxisList &taken) {
        int64_t dim = &taken - prefixes.data();
        return isNext(from.getDim(dim), taken.size(), group) &&
               isNext(to.getDim(dim), taken.size(), group);
      });
      if (prefix == prefixes.end())
        continue;
      prefix->append(group);
    }
    groups.erase(groups.begin() + (&group - groups.data()));
    return true;
  }
  return false;
}

/// Puts each group where its first axis stands; the other axes follow it.
Sharding ReducedMesh::reduce(const Sharding &sharding) const {
  auto reduceList = [&](ArrayRef<std::string> axes) {
    AxisList list;
    for (const std::string &axis : axes)
      for (const auto &[group, name] : zip_equal(groups, reduced.getAxes()))
        if (group.front() == axis)
          list.push_back(name.name);
    return list;
  };
  SmallVector<AxisList, 4> dims;
  for (const AxisList &axes : sharding.getDims())
    dims.push_back(reduceList(axes));
  return Sharding(dims, reduceList(sharding.getPartialAxes()), sharding.getPartialKind());
}

SmallVector<int64_t, 4> ReducedMesh::reduceShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t, 4> part;
  for (auto [size, prefix] : zip_equal(shape, prefixes))
    part.push_back(size / mesh.getSize(prefix));
  return part;
}

AxisList ReducedMesh::expand(ArrayRef<std::string> axes) const {
  AxisList list;
  for (const std::string &axis : axes)
    list.append(groups[*reduced.findAxis(axis)]);
  return list;
}

Sharding ReducedMesh::expand(const Sharding &sharding) const {
  SmallVector<AxisList, 4> dims(prefixes);
  for (auto [axes, left] : zip_equal(dims, sharding.getDims()))
    axes.append(expand(left));
  AxisList partial = droppedPartial;
  partial.append(expand(sharding.getPartialAxes()));
  return Sharding(dims, partial, sharding.getPartialKind());
}

ReshardStep ReducedMesh::expand(ReshardStep step) const {
  if (groups.size() == mesh.getAxes().size())
    return step;
  step.axes = expand(step.axes);
  step.from = expand(step.from);
  step.to = expand(step.to);
  if (step.isExchange()) // the group of an exchange is in the mesh's order
    llvm::sort(step.axes, [&](const std::string &a, const std::string &b) {
      return *mesh.findAxis(a) < *mesh.findAxis(b);
    });
  return step;
}

} // namespace pcc::analysis
