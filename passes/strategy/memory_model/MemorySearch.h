// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the strategies of a program under the cost model `memory`. Builds the problem of its
// forward graph, solves it, and prescribes the solution for every forward op as a user's constraint
// would. The backward pass and the update follow by propagation.
#pragma once

#include "passes/analysis/sharding/LegalStrategies.h"
#include "passes/solve/strategy/problem/StrategyProblem.h"
#include "passes/strategy/memory_model/MemoryModel.h"
#include "passes/strategy/search/Search.h"
#include <functional>
#include <memory>

namespace pcc::strategy {

//===-- MemoryProblem.cpp ---------------------------------------------------------------------===//

// Builds a problem of passes/solve from a forward graph under the cost model `memory`.
//
//   graph                  problem
//   op                     node; an option is a shard count for each factor
//   use                    edge; a pair's cost is that of the redistribution between the options
//   use of an input        part of its reader's costs: the input has the layout in which it is fed
//   result that leaves     part of its producer's costs: the result must be unsplit
//   use of a reshape       as a use, at a slightly different cost; or part of the producer's cost:
//                          the minimum over all layouts that any reader could need. MindSpore
//                          does the latter: its reshapes ignore the readers' choices
//
// Costs are integers: model costs times a power of two, which brings the greatest one to at most
// 10^16, far below the forbidden cost. Rounding changes each scaled cost by at most one half.

/// Shard count of each factor of an op.
using FactorCounts = llvm::SmallVector<int64_t, 4>;

/// Strategies that the search considers.
struct MemorySpace {
  int64_t devices = 1;
  analysis::DeviceUse use = analysis::DeviceUse::Any;
  /// Whether an elementwise op must take its operands in the layout in which they are produced.
  bool elementwiseFollows = false;
  /// Whether the cost of reshapes is independent of their readers' choices, as in MindSpore.
  bool detachesReshapes = false;
  /// Number of parts into which dimension 0 of an input is cut as it is fed; divides the dimension
  /// and the number of devices. If absent, all inputs are fed unsplit.
  std::function<int64_t(mlir::BlockArgument input)> countFed = {};
  /// Returns the prescribed counts of an op, or an empty list if the op is free. If absent, all ops
  /// are free.
  std::function<FactorCounts(mlir::Operation *op)> findGiven = {};
  /// Whether a free op may have these counts. If absent, all counts are allowed.
  std::function<bool(mlir::Operation *op, llvm::ArrayRef<int64_t> counts)> allows = {};
};

class MemoryProblem {
public:
  MemoryProblem(MemoryGraph graph, MemorySpace space, MemoryModel model);
  MemoryProblem(const MemoryProblem &) = delete;
  MemoryProblem &operator=(const MemoryProblem &) = delete;

  const solve::StrategyProblem &getProblem() const { return problem; }
  /// Factor by which costs of the problem exceed costs of the model.
  double getScale() const { return scale; }
  const MemoryGraph &getGraph() const { return graph; }
  const analysis::StrategyList &getOptions(unsigned node) const { return options[node]; }
  /// Returns the option of `node` with these counts, or nullopt if there is none.
  std::optional<int32_t> findOption(unsigned node, llvm::ArrayRef<int64_t> counts) const;

  /// Cost of option `option` of `node` itself.
  const MemoryCost &getCost(unsigned node, int32_t option) const {
    return modelCosts[node][option];
  }
  /// Volume of a use, in bytes, if its producer has option `from` and its reader option `to`. For
  /// an input or a use outside the graph the option is 0.
  ReshardVolume measure(const MemoryUse &use, int32_t from, int32_t to) const;
  /// Cost of all choices of `solution`.
  MemoryCost getCost(const solve::StrategySolution &solution) const;
  /// Cost of all choices of `solution` as one number.
  double getTotal(const solve::StrategySolution &solution) const {
    return model.getTotal(getCost(solution));
  }

private:
  using Layouts = std::vector<DeviceLayout>;

  analysis::StrategyList listOptions(const MemoryNode &node) const;
  void addNode(const MemoryNode &node);
  void addUse(const MemoryUse &use);
  void addReshape(mlir::Value reshape, llvm::ArrayRef<const MemoryUse *> readers);
  MemoryCost costOfUse(const MemoryUse &use, const DeviceLayout &from,
                       const DeviceLayout &to) const;
  std::vector<double> makeTable(const MemoryUse &use) const;
  Layouts listMade(const MemorySource &source) const;
  Layouts listWanted(const MemoryUse &use) const;
  bool mustFollow(const MemoryUse &use) const;
  void finish();

  MemorySpace space;
  MemoryModel model;
  MemoryGraph graph;
  std::vector<analysis::StrategyList> options;     ///< by node
  std::vector<std::vector<MemoryCost>> modelCosts; ///< by node and option
  std::vector<const MemoryUse *> edges;            ///< uses that are edges of the problem
  std::vector<std::vector<double>> tables;         ///< by edge, while the problem is built
  MemoryCost fixed;                                ///< independent of all choices
  solve::StrategyProblem problem;
  double scale = 1;
};

//===-- MemorySearch.cpp ----------------------------------------------------------------------===//

struct MemorySearchOptions {
  MemoryModel model;
  SearchAlgorithm algorithm = SearchAlgorithm::DynamicProgramming;
  analysis::DeviceUse use = analysis::DeviceUse::Any;
  bool elementwiseFollows = false; ///< whether elementwise ops keep their operands' layouts
  solve::SolveOptions solve = {};
};

/// Solution of the search for one op.
struct MemoryChoice {
  mlir::Operation *op;
  std::vector<std::vector<int64_t>> operands, results; ///< number of parts by dimension
  double total = 0;                                    ///< cost of the op without redistribution
};

struct MemoryOutcome {
  ConstrainedProgram program;        ///< includes the solution, if there is one
  solve::SolveResult result;         ///< costs in the problem's unit
  MemoryCost cost;                   ///< cost of the solution
  double total = 0;                  ///< cost of the solution as one number
  double bound = 0;                  ///< proven lower bound of `total`
  double seconds = 0;                ///< duration of the search
  std::vector<MemoryChoice> choices; ///< in program order

  bool isFeasible() const { return result.hasSolution(); }
};

/// Searches under the constraints in `constrained` on `deviceNum` ranks; the mesh is refined as the
/// solution requires.
MemoryOutcome searchByMemory(mlir::ModuleOp module, int64_t deviceNum,
                             ConstrainedProgram constrained, const MemorySearchOptions &options);

/// Emits a remark with the costs.
void explain(mlir::ModuleOp module, const MemoryOutcome &outcome);

/// Reduces the cost of `program`, which has a strategy for every forward op. Ops for which
/// `isFixed` holds keep their strategies.
void improveByMemory(mlir::ModuleOp module, int64_t deviceNum, const MemoryModel &model,
                     llvm::function_ref<bool(mlir::Operation *op)> isFixed,
                     ConstrainedProgram &program);

/// Reduces the cost of `counts`, the shard counts by node of `graph`. In each round every op may
/// move to a neighboring strategy, all ops jointly (passes/solve/strategy/primal/Improve.h). Rounds
/// end when nothing is saved, at the latest after the number of prime factors of `space.devices`
/// plus two. A second run starts from unsplit ops, because leaving devices unused may be cheapest.
/// Returns the better result. `space.allows` is ignored.
std::vector<FactorCounts> improveCounts(const MemoryGraph &graph, const MemorySpace &space,
                                        const MemoryModel &model, std::vector<FactorCounts> counts);

/// Shard counts of an op's factors on a mesh.
FactorCounts countFactors(const GivenOp &given, const dist::Mesh &mesh);

/// Whether `other` differs from `counts` by one prime factor of the devices: the prime splits a
/// different factor, or it splits a factor on one side only.
bool isNeighbor(llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<int64_t> other);

} // namespace pcc::strategy
