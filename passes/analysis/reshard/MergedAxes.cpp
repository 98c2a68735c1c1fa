// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/reshard/MergedAxes.h"

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

MergedAxes::MergedAxes(const Sharding &from, const Sharding &to, const Mesh &mesh, size_t maxAxes)
    : mesh(mesh) {
  for (const dist::MeshAxis &axis : mesh.getAxes())
    groups.push_back({axis.name});
  auto mergeOne = [&] {
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
  };
  while (groups.size() > maxAxes && mergeOne())
    ;
  SmallVector<dist::MeshAxis> axes;
  for (const AxisList &group : groups)
    axes.push_back({join(group, "."), mesh.getSize(group)});
  merged = Mesh(axes);
}

/// Puts each group where its first axis stands; the other axes follow it.
Sharding MergedAxes::merge(const Sharding &sharding) const {
  auto mergeList = [&](ArrayRef<std::string> axes) {
    AxisList list;
    for (const std::string &axis : axes)
      for (const auto &[group, name] : zip_equal(groups, merged.getAxes()))
        if (group.front() == axis)
          list.push_back(name.name);
    return list;
  };
  SmallVector<AxisList, 4> dims;
  for (const AxisList &axes : sharding.getDims())
    dims.push_back(mergeList(axes));
  return Sharding(dims, mergeList(sharding.getPartialAxes()), sharding.getPartialKind());
}

AxisList MergedAxes::expand(ArrayRef<std::string> axes) const {
  AxisList list;
  for (const std::string &axis : axes)
    list.append(groups[*merged.findAxis(axis)]);
  return list;
}

Sharding MergedAxes::expand(const Sharding &sharding) const {
  SmallVector<AxisList, 4> dims;
  for (const AxisList &axes : sharding.getDims())
    dims.push_back(expand(axes));
  return Sharding(dims, expand(sharding.getPartialAxes()), sharding.getPartialKind());
}

ReshardStep MergedAxes::expand(ReshardStep step) const {
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
