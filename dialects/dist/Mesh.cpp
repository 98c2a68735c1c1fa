// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between ranks and coordinates by mixed-radix arithmetic: the digits of a rank are its
// coordinates, the last axis the lowest digit. A group varies the digits of its own axes.
#include "dialects/dist/Mesh.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace pcc::dist;

int64_t Mesh::getNumRanks() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.size;
  return count;
}

std::optional<unsigned> Mesh::findAxis(StringRef name) const {
  for (const auto &[index, axis] : enumerate(axes))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

int64_t Mesh::getSize(StringRef axis) const { return axes[*findAxis(axis)].size; }

int64_t Mesh::getSize(ArrayRef<std::string> axisNames) const {
  int64_t count = 1;
  for (const std::string &name : axisNames)
    count *= getSize(StringRef(name));
  return count;
}

SmallVector<int64_t, 4> Mesh::getCoordinates(int64_t rank) const {
  SmallVector<int64_t, 4> coordinates(axes.size());
  for (size_t i = axes.size(); i-- > 0;) {
    coordinates[i] = rank % axes[i].size;
    rank /= axes[i].size;
  }
  return coordinates;
}

int64_t Mesh::getRank(ArrayRef<int64_t> coordinates) const {
  int64_t rank = 0;
  for (const auto &[axis, coordinate] : zip_equal(axes, coordinates))
    rank = rank * axis.size + coordinate;
  return rank;
}

int64_t Mesh::getPosition(int64_t rank, ArrayRef<std::string> axisNames) const {
  SmallVector<int64_t, 4> coordinates = getCoordinates(rank);
  int64_t position = 0;
  for (const std::string &name : axisNames) {
    unsigned axis = *findAxis(name);
    position = position * axes[axis].size + coordinates[axis];
  }
  return position;
}

RankList Mesh::getGroup(int64_t rank, ArrayRef<std::string> axisNames) const {
  SmallVector<int64_t, 4> coordinates = getCoordinates(rank);
  int64_t count = getSize(axisNames);
  RankList members;
  for (int64_t position = 0; position < count; ++position) {
    int64_t rest = position;
    for (const std::string &name : reverse(axisNames)) {
      unsigned axis = *findAxis(name);
      coordinates[axis] = rest % axes[axis].size;
      rest /= axes[axis].size;
    }
    members.push_back(getRank(coordinates));
  }
  return members;
}

SmallVector<RankList> Mesh::getGroups(ArrayRef<std::string> axisNames) const {
  SmallVector<RankList> groups;
  for (int64_t rank = 0, count = getNumRanks(); rank < count; ++rank)
    if (getPosition(rank, axisNames) == 0)
      groups.push_back(getGroup(rank, axisNames));
  return groups;
}

/// Accepts a letter or `_`, then letters, digits, `_` and `$`, which the text form reads back as
/// one name. `_` alone stands for a dimension that is not cut.
static bool isAxisName(StringRef name) {
  return !name.empty() && name != "_" && (isAlpha(name[0]) || name[0] == '_') &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_' || c == '$'; });
}

std::string Mesh::verify() const {
  StringSet<> seen;
  int64_t count = 1;
  for (const MeshAxis &axis : axes) {
    if (!isAxisName(axis.name))
      return ("\"" + Twine(axis.name) + "\" cannot name an axis of a mesh").str();
    if (!seen.insert(axis.name).second)
      return ("axis \"" + Twine(axis.name) + "\" occurs twice in the mesh").str();
    if (axis.size < 1 || axis.size > maxRanks)
      return ("expected axis \"" + Twine(axis.name) + "\" of the mesh to have 1 to " +
              Twine(maxRanks) + " ranks, got " + Twine(axis.size))
          .str();
    count *= axis.size;
    if (count > maxRanks)
      return ("expected a mesh of at most " + Twine(maxRanks) + " ranks, got \"" + str() + "\"")
          .str();
  }
  return "";
}

void Mesh::print(raw_ostream &os) const {
  interleaveComma(axes, os, [&](const MeshAxis &axis) { os << axis.name << "=" << axis.size; });
}

std::string Mesh::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}

std::string pcc::dist::makeAxisName(unsigned index) {
  static constexpr StringLiteral letters = "xyzwvutsrqponm";
  return std::string(1, letters[index]);
}
