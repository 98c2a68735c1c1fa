// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a problem of passes/solve from a training step, and converts its solution to shardings.
//
//   step                                  problem
//   a node of SearchGraph                 a node; an option splits an op, or is a sharding
//   time of the ops that a rank runs      the option's cost, in picoseconds
//   memory of the results on a rank       the option's usage, in bytes
//   an edge of SearchGraph                an edge; two options cost the reshard between them
//
// Many ops of a program are alike, layer by layer. Equal ops share their options and costs, and
// edges between equal ops share one table, which is filled once.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"
#include "passes/strategy/propagate/ShardingAnnotator.h"
#include "passes/strategy/search/OpOptions.h"
#include "passes/strategy/search/RooflineCostModel.h"
#include "passes/strategy/search/SearchGraph.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <memory>

namespace pcc::strategy {

/// Unit of cost.
inline constexpr double picosecondsPerSecond = 1e12;

/// Converts a cost to seconds.
inline double toSeconds(solve::Int128 cost) {
  return static_cast<double>(cost) / picosecondsPerSecond;
}

/// Options of one node, with the costs of one run.
struct NodeOptions {
  std::vector<OpSharding> opShardings;
  std::vector<int64_t> costs; ///< picoseconds
  std::vector<int64_t> bytes; ///< of the results, on one rank
};

/// Neighborhood of a plan. Every node has its option in the plan, which is option 0, and the
/// options that differ from it over `axis`. A node with a given sharding has only its option in the
/// plan.
struct NearPlan {
  /// Returns the option of node number `index` in the plan. Equal nodes share their list of options
  /// only if this returns the same object for them.
  llvm::function_ref<std::shared_ptr<const OpSharding>(unsigned index, const SearchNode &node)>
      findOpSharding;
  llvm::StringRef axis; ///< an axis of the mesh
};

class SearchProblem {
public:
  /// Builds the problem of `module` on a mesh, with costs of `cluster`, which must be complete,
  /// have a device for each rank and outlive this object. A boundary or shared value with a
  /// sharding in `given` has one option. An op there has the options that split its factors as
  /// given, which may differ in partial axes. `memoryLimit` is in bytes.
  SearchProblem(mlir::ModuleOp module, const dist::Mesh &mesh, const abi::Cluster &cluster,
                const SeedShardings &given, int64_t memoryLimit);
  /// Builds the problem near a plan. If the plan exceeds `memoryLimit`, its peak is the limit.
  SearchProblem(mlir::ModuleOp module, const SeedShardings &given, int64_t memoryLimit,
                std::shared_ptr<RooflineCostModel> costModel, const NearPlan &near);

  const solve::StrategyProblem &getProblem() const { return problem; }
  const SearchGraph &getGraph() const { return graph; }
  const NodeOptions &getOptions(unsigned node) const { return *optionsOfNode[node]; }
  /// Returns an option of a node; equal nodes share one object.
  std::shared_ptr<const OpSharding> getOption(unsigned node, int32_t option) const {
    return {optionsOfNode[node], &optionsOfNode[node]->opShardings[option]};
  }

  /// Returns the cost of an edge for the options of both its ends, in picoseconds of a step.
  int64_t getCost(const SearchEdge &edge, int32_t from, int32_t to);
  /// Lists the collectives of the op's local form under this option. Other nodes have none.
  std::vector<OwnCollective> listCollectives(unsigned node, int32_t option);
  /// Returns the reshard plan of an edge for the options of both its ends.
  const analysis::ReshardPlan &planUse(const SearchEdge &edge, int32_t from, int32_t to);

  const dist::Mesh &getMesh() const { return costModel->getMesh(); }

  /// Builds the problem of the same program on the same mesh and machine with other given
  /// shardings.
  SearchProblem remake(const SeedShardings &given) const;

  /// Writes the choice of `solution` for every op and boundary into `given`.
  void apply(const solve::StrategySolution &solution, SeedShardings &given) const;

private:
  using NodeOptionsPtr = std::shared_ptr<const NodeOptions>;
  /// Key of equal tables: options, result and operand, type, and reshards per step.
  using TableKey = std::tuple<const NodeOptions *, unsigned, const NodeOptions *, unsigned,
                              const void *, int64_t>;
  /// Cost table; absent for edges that never cost anything.
  using Table = std::optional<solve::CostTable>;

  void addUses();
  NodeOptionsPtr getOpOptions(mlir::Operation *op, const SeedShardings &given);
  NodeOptionsPtr getNearOptions(unsigned index, const SeedShardings &given, const NearPlan &near);
  NodeOptionsPtr getTensorOptions(const SearchNode &node, const SeedShardings &given);
  std::vector<OpSharding> listGivenOptions(mlir::Operation *op, const GivenOp &given) const;
  NodeOptionsPtr makeOpOptions(mlir::Operation *op, std::vector<OpSharding> opShardings);
  NodeOptionsPtr makeTensorOptions(mlir::RankedTensorType type,
                                   llvm::ArrayRef<dist::Sharding> shardings) const;
  void addNode(const SearchNode &node);
  void addEdge(const SearchEdge &edge);
  void addOutput(const SearchOutput &output);
  const Table &getTable(const SearchEdge &edge);

  mlir::ModuleOp module;
  std::shared_ptr<RooflineCostModel> costModel;
  SearchGraph graph;
  solve::StrategyProblem problem;
  std::vector<NodeOptionsPtr> optionsOfNode;                 ///< by node
  std::map<std::vector<const void *>, NodeOptionsPtr> known; ///< by the key of equal nodes
  std::map<TableKey, Table> tables;
};

} // namespace pcc::strategy
