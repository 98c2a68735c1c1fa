// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan that a marked program has, node by node of its search graph.
//
//   node       its way
//   op         `dist.in` and `dist.out`
//   boundary   the sharding on the functions that pass it
//   shared     that in which most of its users want it; of equally many, as it is made
#pragma once

#include "passes/strategy/OpSharding.h"
#include "passes/strategy/SearchGraph.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace pcc::strategy {

class MarkedPlan {
public:
  /// Of a program whose ops and functions' arguments and results are marked on `mesh`.
  MarkedPlan(mlir::ModuleOp module, const dist::Mesh &mesh);

  /// Nodes that are marked alike have the same object.
  std::shared_ptr<const OpSharding> findWay(const SearchNode &node);

private:
  using Way = std::shared_ptr<const OpSharding>;

  Way findOpWay(mlir::Operation *op);
  Way findTensorWay(dist::Sharding sharding);
  dist::Sharding findMostWanted(mlir::Value value) const;

  const dist::Mesh &mesh;
  llvm::DenseMap<mlir::Attribute, dist::Sharding> boundaries; ///< by role
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, Way> opWays;
  std::vector<Way> tensorWays; ///< all that there are: few
};

} // namespace pcc::strategy
