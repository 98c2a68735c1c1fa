// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refines a mesh for strategies that are given as numbers.
//
// A strategy of shard counts distributes an op's parts over the ranks as a device matrix. The
// counts are row-major, the last one fastest; remaining ranks replicate on the right. The mesh is
// refined until every count is a product of whole axes:
//
//   8 ranks, matrices     cuts of the ranks      mesh            counts as axes
//   (2,1,4)               1|2|8                  x=2, y=4        x, -, y
//   (2,1,4) and (4,2)     1|2|4|8                x=2, y=2, z=2   x, -, y.z and x.y, z
//   (4)                   1|4|8                  x=4, y=2        x
//
// The cuts of a matrix are the prefix products of its counts. Matrices can share a mesh if all
// their cuts divide one another; powers of two always do. A matrix that does not fit takes axes of
// the mesh by size, in any order. For example, on 6 ranks cut by (2,3) into x=2, y=3, the matrix
// (3,2) is y, x.
#pragma once

#include "dialects/dist/Mesh.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace pcc::strategy {

/// Shard counts, slowest first; their product divides the number of ranks.
using DeviceMatrix = llvm::SmallVector<int64_t, 4>;

/// Refined mesh, with the requests expressed in its axes.
struct MeshRefinement {
  dist::Mesh mesh;
  /// Axes of each count, by matrix.
  std::vector<std::vector<dist::AxisList>> matrices;
  /// Axes into which each axis of the given mesh was cut.
  llvm::StringMap<dist::AxisList> pieces;
};

/// Returns the name of piece `index` of an axis, `tp0` for `tp`, which no axis of `mesh` has.
std::string namePiece(const dist::Mesh &mesh, llvm::StringRef axis, unsigned index);

/// Refines `given` for `matrices`. Earlier matrices take precedence in adding cuts. An axis keeps
/// its name unless it is cut: `tp` becomes `tp0`, `tp1`. Axes of a single rank are dropped.
MeshRefinement refineMesh(const dist::Mesh &given, llvm::ArrayRef<DeviceMatrix> matrices);

/// Refines ranks without a mesh for `matrices`; the axes are named x, y, z, ….
MeshRefinement refineMesh(int64_t numRanks, llvm::ArrayRef<DeviceMatrix> matrices);

} // namespace pcc::strategy
