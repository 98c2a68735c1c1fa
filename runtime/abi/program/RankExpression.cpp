// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes coordinates as the digits of the rank; the axis sizes are the radices, and the last axis
// is the lowest digit. An expression is a table by rank, or a constant plus a multiple of each
// coordinate.

#include "runtime/abi/program/RankExpression.h"

#include <algorithm>

namespace pcc::abi {

int64_t rankCount(const Mesh &mesh) {
  int64_t count = 1;
  for (const MeshAxis &axis : mesh.axes())
    count *= axis.size();
  return count;
}

std::vector<int64_t> coordinatesOf(const Mesh &mesh, int64_t rank) {
  std::vector<int64_t> coordinates(mesh.axes_size());
  for (int axis = mesh.axes_size() - 1; axis >= 0; --axis) {
    coordinates[axis] = rank % mesh.axes(axis).size();
    rank /= mesh.axes(axis).size();
  }
  return coordinates;
}

int64_t evaluate(const RankExpression &expression, const Mesh &mesh, int64_t rank) {
  if (expression.table_size() > 0)
    return expression.table(static_cast<int>(rank));
  int64_t value = expression.constant();
  if (expression.terms_size() == 0)
    return value;
  std::vector<int64_t> coordinates = coordinatesOf(mesh, rank);
  for (const RankExpression::Term &term : expression.terms())
    value += coordinates[term.axis()] * term.stride();
  return value;
}

const RankList &groupOf(const RankGroups &group, int64_t rank) {
  auto holds = [&](const RankList &list) {
    return std::find(list.ranks().begin(), list.ranks().end(), rank) != list.ranks().end();
  };
  return *std::find_if(group.lists().begin(), group.lists().end(), holds);
}

std::vector<int64_t> offsetsOf(const Block &block, const Mesh &mesh, int64_t rank) {
  std::vector<int64_t> offsets;
  for (const RankExpression &offset : block.offsets())
    offsets.push_back(evaluate(offset, mesh, rank));
  return offsets;
}

} // namespace pcc::abi
