// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes group members from mesh coordinates, or looks them up if the group lists ranks. Also
// verifies the group of every collective (rules C7 to C9).
#include "dialects/dist/Group.h"

#include "dialects/dist/Checks.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace pcc::dist;

AxisList pcc::dist::getGroupAxes(GroupAttr group, const Mesh &mesh) {
  AxisList names;
  if (group)
    for (StringAttr axis : group.getAxes())
      names.push_back(axis.str());
  else
    for (const MeshAxis &axis : mesh.getAxes())
      names.push_back(axis.name);
  return names;
}

static bool isList(GroupAttr group) { return group && !group.getRanks().empty(); }

RankList pcc::dist::getGroupMembers(GroupAttr group, const Mesh &mesh, int64_t rank) {
  if (!isList(group))
    return mesh.getGroup(rank, getGroupAxes(group, mesh));
  for (DenseI64ArrayAttr members : group.getRanks())
    if (llvm::is_contained(members.asArrayRef(), rank))
      return RankList(members.asArrayRef());
  return {};
}

SmallVector<RankList> pcc::dist::getGroups(GroupAttr group, const Mesh &mesh) {
  if (!isList(group))
    return mesh.getGroups(getGroupAxes(group, mesh));
  SmallVector<RankList> groups;
  for (DenseI64ArrayAttr members : group.getRanks())
    groups.push_back(RankList(members.asArrayRef()));
  return groups;
}

std::optional<int64_t> pcc::dist::getCommonGroupSize(GroupAttr group, const Mesh &mesh) {
  if (!isList(group))
    return mesh.getSize(getGroupAxes(group, mesh));
  int64_t size = group.getRanks().front().size();
  for (DenseI64ArrayAttr members : group.getRanks())
    if (members.size() != size)
      return std::nullopt;
  return size;
}

/// Verifies C8: each rank is in exactly one list.
static std::string verifyLists(GroupAttr group, const Mesh &mesh) {
  SmallVector<bool> seen(mesh.getNumRanks(), false);
  for (DenseI64ArrayAttr members : group.getRanks())
    for (int64_t rank : members.asArrayRef()) {
      if (rank < 0 || rank >= mesh.getNumRanks())
        return ("expected ranks from 0 to " + Twine(mesh.getNumRanks() - 1) +
                " in the group, got " + Twine(rank) + "; \"dist.mesh\" sets the ranks of a program")
            .str();
      if (seen[rank])
        return ("rank " + Twine(rank) + " stands twice in the group").str();
      seen[rank] = true;
    }
  for (auto [rank, found] : llvm::enumerate(seen))
    if (!found)
      return ("rank " + Twine(rank) + " stands in no list of the group").str();
  return "";
}

/// Verifies C7: axes of the mesh, each at most once.
static std::string verifyAxes(ArrayRef<std::string> names, const Mesh &mesh) {
  for (auto [index, name] : llvm::enumerate(names)) {
    if (!mesh.findAxis(name))
      return ("axis \"" + Twine(name) + "\" of the group is not an axis of the mesh \"" +
              mesh.str() + "\"")
          .str();
    if (llvm::is_contained(names.take_front(index), name))
      return ("axis \"" + Twine(name) + "\" occurs twice in the group").str();
  }
  return "";
}

LogicalResult pcc::dist::checkGroup(Operation *op, GroupAttr group) {
  Mesh mesh = getMesh(op);
  std::string error =
      isList(group) ? verifyLists(group, mesh) : verifyAxes(getGroupAxes(group, mesh), mesh);
  if (!error.empty())
    return op->emitOpError() << error;
  return success();
}

FailureOr<int64_t> pcc::dist::getEqualGroupSize(Operation *op, GroupAttr group) {
  if (failed(checkGroup(op, group)))
    return failure();
  std::optional<int64_t> size = getCommonGroupSize(group, getMesh(op));
  if (!size) // C9
    return op->emitOpError() << "expected groups of equal size, got " << group;
  return *size;
}
