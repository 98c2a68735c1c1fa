// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges mesh axes that two shardings use as one: adjacent in the same dimension of both, or
// partial or unused together. A search over shardings then sees few axes, whatever the mesh.
//
//   from            to            mesh            merged to two axes
//   [a.b, c]        [_, a.b]      a=2, b=2, c=2   "a.b" of 4, "c" of 2
//   [a]             [_]           a=2, b=2, c=2   "a" of 2, "b.c" of 4, idle
#pragma once

#include "passes/analysis/reshard/ReshardPlan.h"

namespace pcc::analysis {

class MergedAxes {
public:
  /// Merges axes of `mesh`, all of more than one rank. Stops when at most `maxAxes` are left, or
  /// when no two go together in both `from` and `to`.
  MergedAxes(const dist::Sharding &from, const dist::Sharding &to, const dist::Mesh &mesh,
             size_t maxAxes);

  /// The mesh of the merged axes, named `a.b`.
  const dist::Mesh &getMesh() const { return merged; }
  /// Converts one of the two shardings to merged axes.
  dist::Sharding merge(const dist::Sharding &sharding) const;
  /// Converts a step between merged shardings to the axes of the mesh.
  ReshardStep expand(ReshardStep step) const;

private:
  dist::AxisList expand(llvm::ArrayRef<std::string> axes) const;
  dist::Sharding expand(const dist::Sharding &sharding) const;

  const dist::Mesh &mesh;
  dist::Mesh merged;
  std::vector<dist::AxisList> groups; ///< the axes of each merged one, slowest first
};

} // namespace pcc::analysis
