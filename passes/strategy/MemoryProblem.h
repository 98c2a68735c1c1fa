// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a forward graph to a problem of passes/solve under the cost model `memory`.
//
//   graph                  problem
//   op                     node; an option is a shard count for each factor
//   use                    edge; a pair's cost is that of the redistribution between
//   use of an input        part of its reader's costs: the input lies as it is fed
//   result that leaves     part of its maker's costs: it is to be whole
//   use of a reshape       the same, priced a little differently; or, as in the reference system,
//                          whose reshapes do not ask what their readers have chosen, part of the
//                          maker's costs: the least over what any reader could want
//
// Costs are integers: prices times a power of two that keeps their sums exact to nine digits.
#pragma once

#include "passes/facts/LegalStrategies.h"
#include "passes/solve/StrategyProblem.h"
#include "passes/strategy/MemoryGraph.h"
#include <functional>
#include <memory>

namespace pcc::strategy {

/// The counts of an op's factors.
using FactorCounts = llvm::SmallVector<int64_t, 4>;

/// Among which strategies is searched.
struct MemorySpace {
  int64_t devices = 1;
  facts::DeviceUse use = facts::DeviceUse::Any;
  /// An elementwise op takes what it reads as it comes.
  bool elementwiseFollows = false;
  /// Reshapes are priced apart from what their readers choose, as in the reference system.
  bool detachesReshapes = false;
  /// The parts into which dimension 0 of an input is cut as it is fed, a divisor of it and of the
  /// devices; absent: all are fed whole.
  std::function<int64_t(mlir::BlockArgument input)> countFed = {};
  /// The only counts of an op, or empty if it is free; absent: all are.
  std::function<FactorCounts(mlir::Operation *op)> findGiven = {};
  /// Whether a free op may have these counts; absent: it may.
  std::function<bool(mlir::Operation *op, llvm::ArrayRef<int64_t> counts)> allows = {};
};

class MemoryProblem {
public:
  MemoryProblem(MemoryGraph graph, MemorySpace space, MemoryModel model);
  MemoryProblem(const MemoryProblem &) = delete;
  MemoryProblem &operator=(const MemoryProblem &) = delete;

  const solve::StrategyProblem &getProblem() const { return problem; }
  /// How many of the problem's costs are one of a price's figures.
  double getScale() const { return scale; }
  const MemoryGraph &getGraph() const { return graph; }
  const facts::StrategyList &getOptions(unsigned node) const { return options[node]; }
  /// The option of `node` with these counts; nothing if it has none.
  std::optional<int32_t> findOption(unsigned node, llvm::ArrayRef<int64_t> counts) const;

  /// What option `option` of `node` costs by itself.
  const MemoryPrice &getPrice(unsigned node, int32_t option) const { return prices[node][option]; }
  /// Bytes of a use, if its maker and its reader have these options; 0 of an input and outside.
  ReshardVolume measure(const MemoryUse &use, int32_t from, int32_t to) const;
  /// Of all that `solution` chooses.
  MemoryPrice getPrice(const solve::StrategySolution &solution) const;
  /// The same in one figure.
  double getTotal(const solve::StrategySolution &solution) const {
    return model.getTotal(getPrice(solution));
  }

private:
  using Layouts = std::vector<DeviceLayout>;

  facts::StrategyList listOptions(const MemoryNode &node) const;
  void addNode(const MemoryNode &node);
  void addUse(const MemoryUse &use);
  void addReshape(mlir::Value reshape, llvm::ArrayRef<const MemoryUse *> readers);
  MemoryPrice priceUse(const MemoryUse &use, const DeviceLayout &from,
                       const DeviceLayout &to) const;
  std::vector<double> makeTable(const MemoryUse &use) const;
  Layouts listMade(const MemorySource &source) const;
  Layouts listWanted(const MemoryUse &use) const;
  bool mustFollow(const MemoryUse &use) const;
  void finish();

  MemorySpace space;
  MemoryModel model;
  MemoryGraph graph;
  std::vector<facts::StrategyList> options;     ///< by node
  std::vector<std::vector<MemoryPrice>> prices; ///< by node and option
  std::vector<const MemoryUse *> edges;         ///< those of the problem
  std::vector<std::vector<double>> tables;      ///< by edge, while the problem is built
  MemoryPrice fixed;                            ///< whatever is chosen
  solve::StrategyProblem problem;
  double scale = 1;
};

} // namespace pcc::strategy
