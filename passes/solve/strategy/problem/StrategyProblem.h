// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategy problem: choose one option per node so that the sum of all costs is minimal and the
// usage of live nodes stays within the limit.
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
// This is the problem of a contest on parallelism inside ops. Source: Moffitt and Fegade, The
// ASPLOS 2025 / EuroSys 2025 Contest on Intra-Operator Parallelism for Distributed Deep Learning.
// Nodes are ops or values of a training step, and options are their shardings. Edges hold the cost
// of resharding. Usage is in bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::solve {

/// Exact sums of costs and usages: 2^63 options of cost 2^63 do not overflow.
using Int128 = __int128;

/// A cost of at least this value forbids the option or the pair.
inline constexpr int64_t kForbidden = 1'000'000'000'000'000'000;

/// Exclusive limit on the usage of all nodes together, so that sums and their differences fit into
/// 64 bits.
inline constexpr Int128 kLargestUse = Int128(1) << 62;

/// A node with its options. It uses memory at the times begin ≤ t < end; an empty interval uses
/// nothing.
struct StrategyNode {
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<int64_t> costs;  ///< one per option, at least one, not negative
  std::vector<int64_t> usages; ///< one per option, not negative
  std::string name = {};       ///< for messages; may be empty

  size_t size() const { return costs.size(); }
};

/// Immutable costs that equal edges can share. A model of 96 equal layers has as many tables as a
/// model of two layers.
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

/// Costs of each pair of options. Several edges may join the same two nodes.
struct StrategyEdge {
  int u = 0, v = 0; ///< two different nodes
  CostTable costs;  ///< row-major, options(u) × options(v), not negative
};

struct StrategyProblem {
  std::string name;
  std::vector<StrategyNode> nodes;
  std::vector<StrategyEdge> edges;
  int64_t usageLimit = std::numeric_limits<int64_t>::max();

  /// Returns `'matmul3'`, or `node 3` for a node without a name.
  std::string describe(int node) const;
};

/// The option of each node.
using StrategySolution = std::vector<int32_t>;

/// Cost of a solution, or its first error.
struct Verdict {
  Int128 cost = 0;
  std::string error; ///< empty if the solution is valid

  bool ok() const { return error.empty(); }
};

/// Returns an empty string if the problem is well formed; otherwise the first error in sizes, ends
/// of edges or values.
std::string check(const StrategyProblem &problem);

/// Returns the cost of `solution` or its first error: a wrong length, an invalid or forbidden
/// option, or a time at which usage exceeds the limit. `problem` is well formed.
Verdict verify(const StrategyProblem &problem, const StrategySolution &solution);

/// A time and its total usage.
struct UsagePeak {
  int64_t time = 0;
  Int128 use = 0;
  std::vector<int> largest; ///< at most eight nodes with positive usage, descending
};

/// Returns the peak of usage if node i uses `use[i]` while it is live.
UsagePeak findUsagePeak(const StrategyProblem &problem, const std::vector<int64_t> &use);

/// Returns the peak of the nodes' minimum usages. If it exceeds the limit, the problem is
/// infeasible.
UsagePeak findUsagePeak(const StrategyProblem &problem);

/// Returns decimal digits.
std::string toString(Int128 value);

} // namespace pcc::solve
