// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of an annotated program, by node of its search graph.
//
//   node       its option
//   op         `dist.in` and `dist.out`
//   boundary   the sharding on the functions that pass the value
//   shared     the sharding that most users want; on a tie, the sharding in which it is produced
#pragma once

#include "passes/strategy/propagate/OpSharding.h"
#include "passes/strategy/search/SearchGraph.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace pcc::strategy {

class AnnotatedPlan {
public:
  /// Reads a program whose ops and functions' arguments and results are annotated on `mesh`.
  AnnotatedPlan(mlir::ModuleOp module, const dist::Mesh &mesh);

  /// Returns the option of `node`. Nodes with equal annotations share one object.
  std::shared_ptr<const OpSharding> findOpSharding(const SearchNode &node);

private:
  using SharedOpSharding = std::shared_ptr<const OpSharding>;

  SharedOpSharding findShardingOfOp(mlir::Operation *op);
  SharedOpSharding findShardingOfTensor(dist::Sharding sharding);
  dist::Sharding findMostWanted(mlir::Value value) const;

  const dist::Mesh &mesh;
  llvm::DenseMap<mlir::Attribute, dist::Sharding> boundaries; ///< by role
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, SharedOpSharding>
      shardingsByAttributes;
  std::vector<SharedOpSharding> tensorShardings; ///< all distinct options of tensors; there are few
};

} // namespace pcc::strategy
