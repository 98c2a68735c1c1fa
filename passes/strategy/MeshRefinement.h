// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mesh for strategies that are given as numbers.
//
// A strategy of shard counts lays an op's parts over the ranks as a device matrix: the counts
// row-major, the last one fastest, and what is left over repeats on the right. The mesh is cut so
// fine that every count is a product of whole axes:
//
//   8 ranks, matrices     cuts of the ranks      mesh            counts as axes
//   (2,1,4)               1|2|8                  x=2, y=4        x, -, y
//   (2,1,4) and (4,2)     1|2|4|8                x=2, y=2, z=2   x, -, y.z and x.y, z
//   (4)                   1|4|8                  x=4, y=2        x
//
// The cuts of a matrix are the products of its counts from the left. Matrices share a mesh in this
// way as long as all their cuts divide one another, which powers of two always do. One that does
// not fit takes axes of the mesh by size, in whatever order they lie: on 6 ranks cut by (2,3) into
// x=2, y=3 the matrix (3,2) is y, x.
#pragma once

#include "dialects/dist/Mesh.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace pcc::strategy {

/// Shard counts, slowest first; their product divides the number of ranks.
using DeviceMatrix = llvm::SmallVector<int64_t, 4>;

/// A mesh, and what was asked of it in terms of its axes.
struct MeshRefinement {
  dist::Mesh mesh;
  /// For each matrix, the axes of each count.
  std::vector<std::vector<dist::AxisList>> matrices;
  /// For each axis of the mesh that was given, the axes into which it was cut.
  llvm::StringMap<dist::AxisList> pieces;
};

/// Cuts `given` for `matrices`; earlier ones lie in order first. Axes keep their names unless they
/// are cut: `tp` becomes `tp0`, `tp1`. Axes of a single rank are dropped.
MeshRefinement refineMesh(const dist::Mesh &given, llvm::ArrayRef<DeviceMatrix> matrices);

/// The same for ranks without a mesh; axes are called x, y, z, ….
MeshRefinement refineMesh(int64_t numRanks, llvm::ArrayRef<DeviceMatrix> matrices);

} // namespace pcc::strategy
