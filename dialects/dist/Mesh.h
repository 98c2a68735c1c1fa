// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mesh: the ranks of a program as the points of a grid with named axes.
//
//   dp=2, tp=4      8 ranks; rank 5 has the coordinates dp=1, tp=1
//   groups over tp  {0,1,2,3} {4,5,6,7}
//   groups over dp  {0,4} {1,5} {2,6} {3,7}
//
// Ranks are numbered row-major over the axes, the last one fastest. A mesh without axes is one
// rank.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>

namespace pcc::dist {

/// Names of mesh axes; if order matters, the slowest comes first.
using AxisList = llvm::SmallVector<std::string, 2>;
/// Ranks, in the order of their group.
using RankList = llvm::SmallVector<int64_t, 8>;

/// Maximum number of ranks of a program; abi::maxRanks in runtime/abi/Limits.h must be equal.
inline constexpr int64_t maxRanks = 4096;

/// One axis of a mesh.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis &) const = default;
};

/// A mesh as a value: cheap to copy, compared by content.
class Mesh {
public:
  Mesh() = default;
  explicit Mesh(llvm::ArrayRef<MeshAxis> axes) : axes(axes) {}

  llvm::ArrayRef<MeshAxis> getAxes() const { return axes; }
  int64_t getNumRanks() const;
  /// The index of the axis called `name`.
  std::optional<unsigned> findAxis(llvm::StringRef name) const;
  /// The number of ranks along one axis, which must exist.
  int64_t getSize(llvm::StringRef axis) const;
  /// The product of the sizes of `axisNames`, 1 for none.
  int64_t getSize(llvm::ArrayRef<std::string> axisNames) const;

  /// The coordinate of `rank` along each axis.
  llvm::SmallVector<int64_t, 4> getCoordinates(int64_t rank) const;
  /// The rank at `coordinates`, one per axis.
  int64_t getRank(llvm::ArrayRef<int64_t> coordinates) const;
  /// The position of `rank` in the grid of `axisNames` alone, the first name slowest.
  int64_t getPosition(int64_t rank, llvm::ArrayRef<std::string> axisNames) const;

  /// The ranks that differ from `rank` along `axisNames` only, ordered by position.
  RankList getGroup(int64_t rank, llvm::ArrayRef<std::string> axisNames) const;
  /// All groups over `axisNames`, ordered by their first rank.
  llvm::SmallVector<RankList> getGroups(llvm::ArrayRef<std::string> axisNames) const;

  /// Returns an empty string if the mesh is legal, else what is wrong with it.
  std::string verify() const;
  /// Prints `dp=2, tp=4`.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  bool operator==(const Mesh &other) const { return axes == other.axes; }

private:
  llvm::SmallVector<MeshAxis, 4> axes;
};

/// Name of the only axis of a mesh that is made to split the batch over all ranks.
inline constexpr llvm::StringLiteral batchAxisName = "dp";

/// Returns the name of axis `index` of a mesh that nobody named, such as one that a search makes:
/// x, y, z, then from w backwards through the alphabet. The 14 letters suffice, because a mesh of
/// 4,096 ranks has at most 12 axes of several ranks.
std::string makeAxisName(unsigned index);

} // namespace pcc::dist
