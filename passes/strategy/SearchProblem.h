// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a training step to a problem of passes/solve, and from its solution to shardings.
//
//   step                                problem
//   a node of SearchGraph               a node; an option is a way to run an op, or a sharding
//   what a rank runs of it              the option's cost, in picoseconds
//   what it holds of the results        the option's use, in bytes
//   a use                               an edge; a pair's cost is that of the reshard between
//
// Many ops of a program are alike, layer by layer: equal ops share their options and prices, and
// uses between equal ops share one table, which is filled once.
#pragma once

#include "passes/solve/StrategyProblem.h"
#include "passes/strategy/OpOptions.h"
#include "passes/strategy/SearchGraph.h"
#include "passes/strategy/SearchPrices.h"
#include "passes/strategy/StepMarker.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <memory>

namespace pcc::strategy {

/// The unit of cost.
inline constexpr double picosecondsPerSecond = 1e12;

/// Of a cost.
inline double toSeconds(solve::Int128 cost) {
  return static_cast<double>(cost) / picosecondsPerSecond;
}

/// The ways of one node, with what each costs when it runs once.
struct NodeWays {
  std::vector<OpSharding> ways;
  std::vector<int64_t> costs; ///< picoseconds
  std::vector<int64_t> bytes; ///< of the results, on one rank
};

/// A search near a plan: every node has its way in the plan, which is its option 0, and those that
/// differ from it over one axis.
struct NearPlan {
  /// The way of the node with this number. Where it is the same object, equal nodes share options.
  llvm::function_ref<std::shared_ptr<const OpSharding>(unsigned index, const SearchNode &node)>
      findWay;
  llvm::StringRef axis; ///< one of the mesh
};

class SearchProblem {
public:
  /// Of `module` on a mesh, by the prices of `cluster`, which is complete, has a device for each
  /// rank and outlives this. What is `given` has no other option. `memoryLimit` in bytes.
  SearchProblem(mlir::ModuleOp module, const dist::Mesh &mesh, const abi::Cluster &cluster,
                const GivenShardings &given, int64_t memoryLimit);
  /// Near a plan. One that needs more memory than there is may go on needing as much.
  SearchProblem(mlir::ModuleOp module, const GivenShardings &given, int64_t memoryLimit,
                std::shared_ptr<SearchPrices> prices, const NearPlan &near);

  const solve::StrategyProblem &getProblem() const { return problem; }
  const SearchGraph &getGraph() const { return graph; }
  const NodeWays &getWays(unsigned node) const { return *ways[node]; }
  /// The same object for equal nodes.
  std::shared_ptr<const OpSharding> getWay(unsigned node, int32_t option) const {
    return {ways[node], &ways[node]->ways[option]};
  }

  /// What a use costs where both of its ends have an option, in picoseconds of a step.
  int64_t getCost(const SearchEdge &edge, int32_t from, int32_t to);
  /// The collectives within one way of an op.
  std::vector<OwnCollective> listCollectives(unsigned node, int32_t option);
  /// How the value of a use gets from one sharding to the other.
  const facts::ReshardPlan &planUse(const SearchEdge &edge, int32_t from, int32_t to);

  const dist::Mesh &getMesh() const { return prices->getMesh(); }

  /// The same program on the same mesh and machine with other things given.
  SearchProblem remake(const GivenShardings &given) const;

  /// Writes what `solution` says of every op, boundary and shared value into `given`.
  void apply(const solve::StrategySolution &solution, GivenShardings &given) const;

private:
  using Ways = std::shared_ptr<const NodeWays>;
  /// What makes tables equal: ways, result and operand, type, and how often it is paid in a step.
  using TableKey =
      std::tuple<const NodeWays *, unsigned, const NodeWays *, unsigned, const void *, int64_t>;
  /// Of uses that always cost nothing: no table.
  using Table = std::optional<solve::CostTable>;

  void addUses();
  Ways getOpWays(mlir::Operation *op, const GivenShardings &given);
  Ways getNearWays(unsigned index, const GivenShardings &given, const NearPlan &near);
  Ways getTensorWays(const SearchNode &node, const GivenShardings &given);
  std::vector<OpSharding> follow(mlir::Operation *op, const GivenOp &given) const;
  Ways priceOpWays(mlir::Operation *op, std::vector<OpSharding> ways);
  Ways makeTensorWays(mlir::RankedTensorType type, llvm::ArrayRef<dist::Sharding> shardings) const;
  void addNode(const SearchNode &node);
  void addEdge(const SearchEdge &edge);
  void addOutput(const SearchOutput &output);
  const Table &getTable(const SearchEdge &edge);

  mlir::ModuleOp module;
  std::shared_ptr<SearchPrices> prices;
  SearchGraph graph;
  solve::StrategyProblem problem;
  std::vector<Ways> ways;                          ///< by node
  std::map<std::vector<const void *>, Ways> known; ///< by what makes nodes equal
  std::map<TableKey, Table> tables;
};

} // namespace pcc::strategy
