// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a mesh that matters for a reshard. Axes that can stand for one axis are merged: in
// each of the two shardings they are adjacent in a dimension, both partial or both unused. If that
// is not enough, axes that both shardings use alike are dropped. Planning then has few axes,
// whatever the mesh.
//
//   from            to            mesh            reduced to two axes
//   [a.b, c]        [_, a.b]      a=2, b=2, c=2   "a.b" of 4, "c" of 2
//   [a]             [_]           a=2, b=2, c=2   "a" of 2, "b.c" of 4, unused
//   [a.b, c]        [a.c, b]      a=2, b=2, c=2   "b" and "c" of 2; "a" is dropped
#pragma once

#include "passes/analysis/reshard/ReshardPlan.h"

namespace pcc::analysis {

class ReducedMesh {
public:
  /// Reduces `mesh`, whose axes all have more than one rank, for a reshard between two legal
  /// shardings. Stops when at most `maxAxes` are left, or when nothing more can be done.
  ReducedMesh(const dist::Sharding &from, const dist::Sharding &to, const dist::Mesh &mesh,
              size_t maxAxes);

  /// The mesh of the axes that are left; merged ones are named `a.b`.
  const dist::Mesh &getMesh() const { return reduced; }

  /// Converts one of the two shardings to the reduced mesh.
  dist::Sharding reduce(const dist::Sharding &sharding) const;
  /// Returns the shape of the part of a tensor of `shape` that the ranks along the reduced mesh
  /// hold together.
  llvm::SmallVector<int64_t, 4> reduceShape(llvm::ArrayRef<int64_t> shape) const;
  /// Converts a step between shardings on the reduced mesh to the axes of the mesh.
  ReshardStep expand(ReshardStep step) const;
  /// Converts a list of axes of the reduced mesh to axes of the mesh.
  dist::AxisList expand(llvm::ArrayRef<std::string> axes) const;

private:
  bool mergeTwo(const dist::Sharding &from, const dist::Sharding &to);
  bool dropOne(const dist::Sharding &from, const dist::Sharding &to);
  dist::Sharding expand(const dist::Sharding &sharding) const;

  const dist::Mesh &mesh;
  dist::Mesh reduced;
  std::vector<dist::AxisList> groups; ///< of each axis of the reduced mesh, slowest first
  /// Axes dropped from the beginning of each dimension, slowest first.
  llvm::SmallVector<dist::AxisList, 4> prefixes;
  dist::AxisList droppedPartial;
};

} // namespace pcc::analysis
