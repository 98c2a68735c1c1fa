// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
#pragma once

#include "passes/analysis/sharding/LegalStrategies.h"
#include "passes/solve/strategy/problem/StrategyProblem.h"
#include "passes/strategy/memory_model/MemoryGraph.h"
#include <functional>
#include <memory>

namespace pcc::strategy {

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

} // namespace pcc::strategy
