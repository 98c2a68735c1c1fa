// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of one option per node, so that the sum of all costs is least and what is live fits.
//
//   node a: options 0 (cost 5, uses 8), 1 (cost 9, uses 4)   live [0, 3)
//   node b: options 0 (cost 2, uses 8), 1 (cost 2, uses 4)   live [1, 4)
//   edge a–b: cost      b=0  b=1
//                 a=0     0    7
//                 a=1     7    0
//   limit 12
//
//   a=0, b=0 costs 5 + 2 + 0 = 7, but at times 1 and 2 it uses 8 + 8 > 12;
//   a=1, b=1 costs 9 + 2 + 0 = 11 and uses 8 there: the best that fits.
//
// This is the problem of the ASPLOS/EuroSys 2025 contest on intra-operator parallelism for
// distributed deep learning (Moffitt and Fegade, The ASPLOS 2025 / EuroSys 2025 Contest on
// Intra-Operator Parallelism for Distributed Deep Learning). Nodes are ops or values of a training
// step, options their shardings, edges the price of resharding, use is bytes held.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::solve {

/// Sums of costs and uses are exact: 2^63 options of cost 2^63 do not overflow one.
using Int128 = __int128;

/// A cost of at least this much forbids the option or the pair.
inline constexpr int64_t kForbidden = 1'000'000'000'000'000'000;

/// What all nodes together can use is less, so that sums of uses and their differences have 64
/// bits.
inline constexpr Int128 kLargestUse = Int128(1) << 62;

/// Use at a time t with begin ≤ t < end. An empty interval uses nothing at any time.
struct StrategyNode {
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<int64_t> costs;  ///< one per option, at least one, none negative
  std::vector<int64_t> usages; ///< one per option, none negative
  std::string name = {};       ///< for messages; may be empty

  size_t size() const { return costs.size(); }
};

/// Costs that do not change, so that equal edges can share them: of a model of 96 equal layers
/// there are as many tables as of one of two.
class CostTable {
public:
  CostTable() : CostTable(std::vector<int64_t>()) {}
  CostTable(std::vector<int64_t> costs)
      : costs(std::make_shared<const std::vector<int64_t>>(std::move(costs))) {}
  CostTable(std::initializer_list<int64_t> costs) : CostTable(std::vector<int64_t>(costs)) {}

  const std::vector<int64_t> &list() const { return *costs; }
  size_t size() const { return costs->size(); }
  int64_t operator[](size_t index) const { return (*costs)[index]; }
  auto begin() const { return costs->begin(); }
  auto end() const { return costs->end(); }

private:
  std::shared_ptr<const std::vector<int64_t>> costs;
};

/// A price for each pair of options. Several edges may join the same two nodes.
struct StrategyEdge {
  int u = 0, v = 0; ///< two different nodes
  CostTable costs;  ///< row-major, options(u) × options(v), none negative
};

struct StrategyProblem {
  std::string name;
  std::vector<StrategyNode> nodes;
  std::vector<StrategyEdge> edges;
  int64_t usageLimit = std::numeric_limits<int64_t>::max();

  /// `'matmul3'`, or `node 3` for one without a name.
  std::string describe(int node) const;
};

/// The option of each node.
using StrategySolution = std::vector<int32_t>;

/// What a solution costs, or why it is none.
struct Verdict {
  Int128 cost = 0;
  std::string error; ///< empty if the solution is one

  bool ok() const { return error.empty(); }
};

/// Empty if the problem is well formed; else what is wrong with it: sizes, ends of edges, negative
/// figures.
std::string check(const StrategyProblem &problem);

/// The cost of `solution`, or the first thing that is wrong with it: a wrong length, an option that
/// is not there or is forbidden, or a time at which it uses too much. `problem` is well formed.
Verdict verify(const StrategyProblem &problem, const StrategySolution &solution);

/// A time and what is used then.
struct Moment {
  int64_t time = 0;
  Int128 use = 0;
  std::vector<int> largest; ///< nodes that use something, those that use most first, at most eight
};

/// Where the nodes use most, if node i uses `use[i]` as long as it is live.
Moment tightestMoment(const StrategyProblem &problem, const std::vector<int64_t> &use);

/// Where the least that each node can use sums to most: above the limit, nothing fits.
Moment tightestMoment(const StrategyProblem &problem);

/// Decimal digits.
std::string toString(Int128 value);

} // namespace pcc::solve
