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

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/cost/ExpectedKernels.h"
#include "passes/analysis/cost/OpCostModel.h"
#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "passes/analysis/reshard/ReshardTable.h"
#include "passes/solve/strategy/problem/StrategyProblem.h"
#include "passes/strategy/propagate/OpSharding.h"
#include "passes/strategy/propagate/ShardingAnnotator.h"
#include "passes/strategy/search/SearchGraph.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <memory>

namespace pcc::strategy {

//===-- OpOptions.cpp -------------------------------------------------------------------------===//

// Lists the options of one op on a mesh. An option assigns each mesh axis to one of these roles:
//
//   a factor       the axis splits the op's work by the factor
//   a linear set   the operands of the set, and the result, are partial over the axis
//   nothing        all ranks along the axis do the same work
//
//   matmul ([i,k],[k,j]) -> ([i,j]) {reduce k: sum} {linear: (0) (1)} on tp=4
//     i           [tp, _], [_, _] -> [tp, _]
//     k           [_, tp], [tp, _] -> [_, _] partial(sum: tp)
//     j           [_, _], [_, tp] -> [_, tp]
//     operand 0   [_, _] partial(sum: tp), [_, _] -> [_, _] partial(sum: tp)
//     operand 1   [_, _], [_, _] partial(sum: tp) -> [_, _] partial(sum: tp)
//     nothing     [_, _], [_, _] -> [_, _]
//
// Several axes may split one factor, in the order of the mesh. All carried axes pass through the
// same linear set. Blocks are equal and contiguous.

/// Lists all distinct options of `op`, which has a factor rule, on `mesh`. The first splits
/// nothing.
std::vector<OpSharding> listOptions(mlir::Operation *op, const dist::Mesh &mesh);

/// Lists the options of `op` that equal `current` over all axes except `axis`, `current` first.
/// Returns only `current` if the mesh has no such axis of several ranks.
std::vector<OpSharding> listOptionsNear(mlir::Operation *op, const dist::Mesh &mesh,
                                        const OpSharding &current, llvm::StringRef axis);

/// Lists all shardings of a tensor of `shape` on `mesh`, the replicated one first. Each axis cuts
/// one dimension or none. If `mayBePartial`, the value may also be a partial sum over an axis.
std::vector<dist::Sharding> listShardings(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                          bool mayBePartial);

/// Lists the shardings that equal `current` over all axes except `axis`, `current` first.
std::vector<dist::Sharding> listShardingsNear(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                              bool mayBePartial, const dist::Sharding &current,
                                              llvm::StringRef axis);

//===-- RooflineCostModel.cpp -----------------------------------------------------------------===//

// The cost model `roofline` of a search: seconds, on a described machine, of a split op and of a
// reshard between two nodes.

/// Builds the ops that one rank would run for a split op, without the surrounding program. They are
/// the ops of its local form, or the same op on local shapes. Partition builds the same ops by the
/// same interface, so the cost computed here is the cost of the ops that will run.
class LocalProgram {
public:
  /// Creates an empty module on `mesh`, in the context of the ops that will be passed to build().
  LocalProgram(mlir::MLIRContext *context, const dist::Mesh &mesh);

  /// Returns the local form of `op` split as `sharding`, as a function of the blocks of the op's
  /// operands, without composites. Returns null if the same op on local shapes suffices. The
  /// next call of build() or expand() erases it.
  mlir::func::FuncOp build(mlir::Operation *op, const OpSharding &sharding);
  /// Returns the core ops of `op` on the local shapes, in the order of analysis::expand().
  llvm::SmallVector<mlir::Operation *> expand(mlir::Operation *op, const OpSharding &sharding);

private:
  mlir::func::FuncOp addFunction(mlir::Operation *op, const OpSharding &sharding);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  dist::Mesh mesh;
};

/// Collective of the local form of a split op. Reshards between ops have other collectives.
struct OwnCollective {
  std::string text; ///< for example `all_reduce over dp, tp`
  double seconds = 0;
};

/// How an op gets an operand if there is no reshard between it and the producer.
struct Passage {
  bool isInKernel = false;  ///< a kernel holds both; a reshard cuts it in two
  bool isWritten = false;   ///< and that kernel also writes the value to memory
  bool needsMemory = false; ///< the reader reads memory only, so a slice is a kernel of its own
};

class RooflineCostModel {
public:
  /// Creates the model of `mesh` on `cluster`. The cluster must be complete, have a device for each
  /// rank of `mesh` and outlive this object.
  RooflineCostModel(mlir::MLIRContext *context, const dist::Mesh &mesh, const abi::Cluster &cluster)
      : cluster(cluster), mesh(mesh), tables(this->mesh, cluster), planCache(mesh, &cluster),
        local(context, mesh) {}

  const dist::Mesh &getMesh() const { return mesh; }
  const abi::Cluster &getCluster() const { return cluster; }
  /// Returns the kernels that the ops of a function are expected to become.
  const analysis::ExpectedKernels &getKernels(mlir::func::FuncOp function);
  /// Returns the parts of `op` in these kernels.
  llvm::ArrayRef<analysis::ExpectedPart> getParts(mlir::Operation *op);

  /// Returns the seconds that a rank takes for the split `op`. This is the time of its local form
  /// with its collectives, or that of its parts.
  double costOfOp(mlir::Operation *op, const OpSharding &opSharding);
  /// Returns the seconds that the split `op` hides within its local form: by how much its ops would
  /// take longer one after the other.
  double secondsHidden(mlir::Operation *op, const OpSharding &opSharding);
  /// Lists the collectives in the local form of the split `op`.
  std::vector<OwnCollective> listCollectives(mlir::Operation *op, const OpSharding &opSharding);
  /// Returns the seconds to reshard a tensor from each of `from` to each of `to`, row-major, with
  /// the kernels that this adds.
  std::vector<double> costOfUses(mlir::RankedTensorType type,
                                 llvm::ArrayRef<const dist::Sharding *> from,
                                 llvm::ArrayRef<const dist::Sharding *> to,
                                 const Passage &passage = {});
  /// Returns the reshard plan between two shardings, as optimized for the machine.
  const analysis::ReshardPlan &planUse(mlir::RankedTensorType type, const dist::Sharding &from,
                                       const dist::Sharding &to);

private:
  struct FormCost {
    double seconds = 0;
    double hidden = 0; ///< seconds that its ops would take longer one after the other
  };

  FormCost costOfLocalForm(mlir::func::FuncOp function) const;
  double costOfReshard(mlir::RankedTensorType type, const dist::Sharding &from,
                       const dist::Sharding &to);
  std::vector<double> costOfReshards(mlir::RankedTensorType type,
                                     llvm::ArrayRef<const dist::Sharding *> from,
                                     llvm::ArrayRef<const dist::Sharding *> to);

  const abi::Cluster &cluster;
  dist::Mesh mesh;
  analysis::ReshardTables tables;
  analysis::ReshardPlanCache planCache; ///< for explanations
  LocalProgram local;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<analysis::ExpectedKernels>>
      kernels; ///< by function
};

//===-- SearchProblem.cpp ---------------------------------------------------------------------===//

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
  /// Returns the seconds of a step that the cost of this option hides (RooflineCostModel).
  double secondsHidden(unsigned node, int32_t option) const;
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
  /// Key of equal tables: options, result and operand, type, reshards per step, and the passage.
  using TableKey = std::tuple<const NodeOptions *, unsigned, const NodeOptions *, unsigned,
                              const void *, int64_t, bool, bool, bool>;
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
  Passage findPassage(const SearchEdge &edge);

  mlir::ModuleOp module;
  std::shared_ptr<RooflineCostModel> costModel;
  SearchGraph graph;
  solve::StrategyProblem problem;
  std::vector<NodeOptionsPtr> optionsOfNode;                 ///< by node
  std::map<std::vector<const void *>, NodeOptionsPtr> known; ///< by the key of equal nodes
  std::map<TableKey, Table> tables;
};

} // namespace pcc::strategy
