// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a problem of passes/solve from a training step, and converts its solution to shardings.
//
//   step                                  problem
//   a node of SearchGraph                 a node; an option splits an op, or is a sharding
//   time of the ops that a rank runs      the option's cost, in picoseconds
//   memory of the results on a rank       the option's use, in bytes
//   a use                                 an edge; a pair's cost is the cost of the reshard between
//
// Many ops of a program are alike, layer by layer. Equal ops share their options and costs, and
// uses between equal ops share one table, which is filled once.
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

/// Search in the neighborhood of a plan. Every node has its option in the plan, which is option 0,
/// and the options that differ from it over one axis.
struct NearPlan {
  /// Returns the option of node number `index`. Equal nodes share options if it is the same object.
  llvm::function_ref<std::shared_ptr<const OpSharding>(unsigned index, const SearchNode &node)>
      findOpSharding;
  llvm::StringRef axis; ///< an axis of the mesh
};

class SearchProblem {
public:
  /// Builds the problem of `module` on a mesh, with costs of `cluster`, which must be complete,
  /// have a device for each rank and outlive this object. Shardings in `given` have no alternative.
  /// `memoryLimit` is in bytes.
  SearchProblem(mlir::ModuleOp module, const dist::Mesh &mesh, const abi::Cluster &cluster,
                const SeedShardings &given, int64_t memoryLimit);
  /// Builds the problem near a plan. A plan that exceeds the memory limit may keep its memory use.
  SearchProblem(mlir::ModuleOp module, const SeedShardings &given, int64_t memoryLimit,
                std::shared_ptr<RooflineCostModel> costModel, const NearPlan &near);

  const solve::StrategyProblem &getProblem() const { return problem; }
  const SearchGraph &getGraph() const { return graph; }
  const NodeOptions &getOptions(unsigned node) const { return *opShardings[node]; }
  /// Returns an option of a node; equal nodes share one object.
  std::shared_ptr<const OpSharding> getOption(unsigned node, int32_t option) const {
    return {opShardings[node], &opShardings[node]->opShardings[option]};
  }

  /// Returns the cost of a use for the options of both its ends, in picoseconds of a step.
  int64_t getCost(const SearchEdge &edge, int32_t from, int32_t to);
  /// Lists the collectives within one option of an op.
  std::vector<OwnCollective> listCollectives(unsigned node, int32_t option);
  /// Returns the reshard plan of a use for the options of both its ends.
  const analysis::ReshardPlan &planUse(const SearchEdge &edge, int32_t from, int32_t to);

  const dist::Mesh &getMesh() const { return costModel->getMesh(); }

  /// Builds the problem of the same program on the same mesh and machine with other given
  /// shardings.
  SearchProblem remake(const SeedShardings &given) const;

  /// Writes the choice of `solution` for every op and boundary into `given`.
  void apply(const solve::StrategySolution &solution, SeedShardings &given) const;

private:
  using SharedNodeOptions = std::shared_ptr<const NodeOptions>;
  /// Key of equal tables: options, result and operand, type, and reshards per step.
  using TableKey = std::tuple<const NodeOptions *, unsigned, const NodeOptions *, unsigned,
                              const void *, int64_t>;
  /// Cost table; absent for uses that never cost anything.
  using Table = std::optional<solve::CostTable>;

  void addUses();
  SharedNodeOptions getOpOptions(mlir::Operation *op, const SeedShardings &given);
  SharedNodeOptions getNearOptions(unsigned index, const SeedShardings &given,
                                   const NearPlan &near);
  SharedNodeOptions getTensorOptions(const SearchNode &node, const SeedShardings &given);
  std::vector<OpSharding> follow(mlir::Operation *op, const GivenOp &given) const;
  SharedNodeOptions makeOpOptions(mlir::Operation *op, std::vector<OpSharding> opShardings);
  SharedNodeOptions makeTensorOptions(mlir::RankedTensorType type,
                                      llvm::ArrayRef<dist::Sharding> shardings) const;
  void addNode(const SearchNode &node);
  void addEdge(const SearchEdge &edge);
  void addOutput(const SearchOutput &output);
  const Table &getTable(const SearchEdge &edge);

  mlir::ModuleOp module;
  std::shared_ptr<RooflineCostModel> costModel;
  SearchGraph graph;
  solve::StrategyProblem problem;
  std::vector<SharedNodeOptions> opShardings;                   ///< by node
  std::map<std::vector<const void *>, SharedNodeOptions> known; ///< by the key of equal nodes
  std::map<TableKey, Table> tables;
};

} // namespace pcc::strategy
