// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sharding of a tensor: along which mesh axes each dimension is cut, and over which axes the
// ranks hold only partial values.
//
//   text                        on the mesh dp=2, tp=4, a tensor of 8x16
//   [_, _]                      every rank holds the whole
//   [dp, _]                     blocks of 4x16; rank 5 (dp=1, tp=1) holds rows 4 to 7
//   [_, dp.tp]                  blocks of 8x2; rank 5 holds columns 10 and 11 (dp slowest)
//   [dp, _] partial(sum: tp)    blocks of 4x16; the four ranks along tp add up to the value
//
// Blocks are equal and contiguous; uneven cuts are refused. A sharding uses each axis at most once.
#pragma once

#include "dialects/dist/Mesh.h"
#include "dialects/interfaces/FactorRule.h"

namespace pcc::dist {

/// A sharding as a value: compared by content. It names axes and knows no mesh; functions that need
/// sizes take one.
class Sharding {
public:
  Sharding() = default;
  explicit Sharding(llvm::ArrayRef<AxisList> dims, AxisList partialAxes = {},
                    ReduceKind partialKind = ReduceKind::Sum);

  /// The sharding of a tensor of `rank` dimensions that every rank holds whole.
  static Sharding replicated(int64_t rank);

  int64_t getRank() const { return dims.size(); }
  llvm::ArrayRef<AxisList> getDims() const { return dims; }
  const AxisList &getDim(int64_t dim) const { return dims[dim]; }
  AxisList &getDim(int64_t dim) { return dims[dim]; }
  const AxisList &getPartialAxes() const { return partialAxes; }
  ReduceKind getPartialKind() const { return partialKind; }

  /// True if no dimension is cut and the value is not partial.
  bool isReplicated() const { return !isSplit() && !isPartial(); }
  bool isSplit() const;
  bool isPartial() const { return !partialAxes.empty(); }
  /// True if `axis` cuts a dimension or is a partial axis.
  bool uses(llvm::StringRef axis) const;
  /// All axes that cut a dimension, dimension by dimension.
  AxisList getSplitAxes() const;

  /// The same cuts, not partial.
  Sharding withoutPartial() const;
  /// The same cuts, partial over `axes`.
  Sharding withPartial(AxisList axes, ReduceKind kind = ReduceKind::Sum) const;

  /// Number of blocks into which dimension `dim` is cut.
  int64_t getShardCount(int64_t dim, const Mesh &mesh) const;
  /// The number of different blocks: the product of all shard counts.
  int64_t getNumBlocks(const Mesh &mesh) const;
  /// The shape of one rank's block of a tensor of `globalShape`.
  llvm::SmallVector<int64_t, 4> getLocalShape(llvm::ArrayRef<int64_t> globalShape,
                                              const Mesh &mesh) const;
  /// The shape of the tensor of which every rank holds a block of `localShape`.
  llvm::SmallVector<int64_t, 4> getGlobalShape(llvm::ArrayRef<int64_t> localShape,
                                               const Mesh &mesh) const;
  /// The index of the first element of `rank`'s block in a tensor of `globalShape`.
  llvm::SmallVector<int64_t, 4> getOffset(int64_t rank, llvm::ArrayRef<int64_t> globalShape,
                                          const Mesh &mesh) const;
  /// All ranks that hold the same part of the tensor as `rank`, itself among them, ascending. If
  /// the value is partial, the blocks along the partial axes must be combined.
  RankList getHolders(int64_t rank, const Mesh &mesh) const;

  /// Returns an empty string if a tensor of `globalShape` can have the sharding, else what is
  /// wrong.
  std::string verify(llvm::ArrayRef<int64_t> globalShape, const Mesh &mesh) const;
  /// Checks like verify, without the shape: axes exist and occur once.
  std::string verifyAxes(const Mesh &mesh) const;

  /// Prints `[dp, _, x.y] partial(sum: tp)`.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  bool operator==(const Sharding &other) const;
  bool operator!=(const Sharding &other) const { return !(*this == other); }

private:
  llvm::SmallVector<AxisList, 4> dims;
  AxisList partialAxes; ///< sorted by name: their order means nothing
  ReduceKind partialKind = ReduceKind::Sum;
};

/// Lists the numbers that divide `size`, ascending, as text: `1, 2, 3, 6`. Long lists are cut
/// short.
std::string listDivisors(int64_t size);

} // namespace pcc::dist
