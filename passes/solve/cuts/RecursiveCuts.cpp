// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy recursive cuts. One round visits the ops by descending weight. Each op cuts the cheapest
// legal factor, given the cuts of the ops before it; costs are in elements. Counters per tensor and
// dimension replace a walk over the neighbors, so a cost takes time linear in the op's operands.
#include "passes/solve/cuts/RecursiveCuts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pcc::solve {
namespace {

/// Cost per element of a tensor that a neighbor has cut in another way.
constexpr double redistributionWeight = 16;

/// A rule with precomputed lookups.
class RuleTable {
public:
  explicit RuleTable(const CutRule &rule) : rule(rule), numFactors(rule.factors.size()) {
    before.resize(numFactors);
    dims.assign(rule.operands.size() * numFactors, -1);
    for (size_t operand = 0; operand < rule.operands.size(); ++operand)
      for (size_t dim = 0; dim < rule.operands[operand].dims.size(); ++dim)
        addDim(operand, static_cast<int>(dim), rule.operands[operand].dims[dim]);
  }

  const CutRule &getRule() const { return rule; }
  /// Returns the dimension of `operand` that contains `factor`; −1 for none.
  int findDim(size_t operand, int factor) const {
    return factor < 0 ? -1 : dims[operand * numFactors + factor];
  }
  /// Returns the factors that must be cut completely before `factor` is cut.
  const std::vector<int> &listBefore(int factor) const { return before[factor]; }

private:
  void addDim(size_t operand, int dim, const std::vector<int> &factors) {
    for (size_t place = 0; place < factors.size(); ++place) {
      dims[operand * numFactors + factors[place]] = dim;
      std::vector<int> &list = before[factors[place]];
      list.insert(list.end(), factors.begin(), factors.begin() + static_cast<int64_t>(place));
    }
  }

  const CutRule &rule;
  size_t numFactors;
  std::vector<int> dims; ///< by operand and factor
  std::vector<std::vector<int>> before;
};

/// Counts, for each tensor, the ops of this round that cut it in each dimension, or not at all.
class CutCounts {
public:
  explicit CutCounts(const CutProblem &problem) : begins(problem.numTensors + 1, 0) {
    for (const CutOp &op : problem.ops)
      for (size_t operand = 0; operand < op.tensors.size(); ++operand) {
        int &size = begins[op.tensors[operand] + 1];
        size = std::max(size, numCounters(problem.rules[op.rule].operands[operand]));
      }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    counts.resize(begins.back());
  }

  void clear() { std::fill(counts.begin(), counts.end(), 0); }
  void add(int tensor, int dim) {
    ++counts[begins[tensor]];
    ++counts[begins[tensor] + 2 + dim];
  }
  /// Returns the number of ops that did not cut `tensor` in `dim`. A `dim` of −1 means not cut.
  int countOthers(int tensor, int dim) const {
    return counts[begins[tensor]] - counts[begins[tensor] + 2 + dim];
  }

private:
  /// Counters per tensor: the total, uncut, and one for each dimension.
  static int numCounters(const CutOperand &operand) {
    return 2 + static_cast<int>(operand.dims.size());
  }

  std::vector<int> begins; ///< by tensor: offset in `counts`
  std::vector<int> counts;
};

class Cutter {
public:
  explicit Cutter(const CutProblem &problem)
      : problem(problem), rules(problem.rules.begin(), problem.rules.end()),
        order(problem.ops.size()), cutCounts(problem) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int lhs, int rhs) {
      return problem.ops[lhs].weight > problem.ops[rhs].weight;
    });
    for (const CutOp &op : problem.ops) {
      begins.push_back(left.size());
      for (const CutFactor &factor : problem.rules[op.rule].factors)
        left.push_back(factor.size);
    }
  }

  CutRound cut(int64_t parts) {
    CutRound round{parts, std::vector<int>(problem.ops.size(), -1)};
    cutCounts.clear();
    for (int op : order) {
      const std::vector<int> &tensors = problem.ops[op].tensors;
      int factor = choose(op, parts);
      round.factors[op] = factor;
      for (size_t operand = 0; operand < tensors.size(); ++operand)
        cutCounts.add(tensors[operand], ruleOf(op).findDim(operand, factor));
      if (factor >= 0)
        leftOf(op)[factor] /= parts;
    }
    ++numRounds;
    return round;
  }

  uint64_t getWork() const { return work; }

private:
  const RuleTable &ruleOf(int op) const { return rules[problem.ops[op].rule]; }
  /// Remaining size of each factor.
  int64_t *leftOf(int op) { return &left[begins[op]]; }

  /// Returns the given cut, or else the legal cut with the lowest cost.
  int choose(int op, int64_t parts) {
    if (!problem.ops[op].given.empty())
      return problem.ops[op].given[numRounds];
    countElements(op);
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    int numFactors = static_cast<int>(ruleOf(op).getRule().factors.size());
    for (int factor = 0; factor < numFactors; ++factor) {
      if (!isLegal(op, factor, parts))
        continue;
      double cost = costOf(op, factor);
      if (cost < least) {
        least = cost;
        best = factor;
      }
    }
    return best < 0 || costOf(op, -1) < least ? -1 : best;
  }

  /// Whether the factor can be cut, and all factors before it in each dimension are cut completely.
  bool isLegal(int op, int factor, int64_t parts) {
    const RuleTable &rule = ruleOf(op);
    const int64_t *sizes = leftOf(op);
    if (!rule.getRule().factors[factor].isSplittable || sizes[factor] % parts)
      return false;
    const std::vector<int> &before = rule.listBefore(factor);
    return std::all_of(before.begin(), before.end(), [&](int other) { return sizes[other] == 1; });
  }

  /// Counts the elements of each operand that one device holds before this round.
  void countElements(int op) {
    const int64_t *sizes = leftOf(op);
    elements.clear();
    for (const CutOperand &operand : ruleOf(op).getRule().operands) {
      double &product = elements.emplace_back(1);
      for (const std::vector<int> &dim : operand.dims)
        for (int factor : dim)
          product *= static_cast<double>(sizes[factor]);
    }
  }

  /// Returns the cost of a cut: the weighted elements of uncut tensors, and of tensors that a
  /// neighbor cuts in another way. A factor of −1 cuts no tensor.
  double costOf(int op, int factor) {
    const RuleTable &rule = ruleOf(op);
    const std::vector<int> &tensors = problem.ops[op].tensors;
    double cost = 0;
    for (size_t operand = 0; operand < tensors.size(); ++operand) {
      int dim = rule.findDim(operand, factor);
      double weight = dim < 0 ? rule.getRule().operands[operand].weight : 0;
      weight += redistributionWeight * cutCounts.countOthers(tensors[operand], dim);
      cost += weight * elements[operand];
    }
    work += tensors.size();
    return cost;
  }

  const CutProblem &problem;
  std::vector<RuleTable> rules;
  std::vector<int> order;       ///< ops, descending by weight
  std::vector<size_t> begins;   ///< by op: offset in `left`
  std::vector<int64_t> left;    ///< remaining size of each factor
  CutCounts cutCounts;          ///< cuts of this round
  std::vector<double> elements; ///< by operand of the current op
  size_t numRounds = 0;         ///< finished rounds
  uint64_t work = 0;
};

} // namespace

std::vector<int64_t> listPrimes(int64_t devices) {
  std::vector<int64_t> primes;
  for (int64_t prime = 2; prime * prime <= devices; ++prime)
    for (; devices % prime == 0; devices /= prime)
      primes.push_back(prime);
  if (devices > 1)
    primes.push_back(devices);
  std::reverse(primes.begin(), primes.end());
  return primes;
}

std::vector<CutRound> cutRecursively(const CutProblem &problem, const std::vector<int64_t> &parts,
                                     uint64_t *work) {
  Cutter cutter(problem);
  std::vector<CutRound> rounds;
  for (int64_t count : parts)
    rounds.push_back(cutter.cut(count));
  if (work)
    *work = cutter.getWork();
  return rounds;
}

} // namespace pcc::solve
