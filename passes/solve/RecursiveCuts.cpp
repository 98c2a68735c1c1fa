// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/RecursiveCuts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pcc::solve {
namespace {

/// What it costs, by element, that a neighbour has cut a tensor in another way.
constexpr double redistributionWeight = 16;

class Cutter {
public:
  explicit Cutter(const CutProblem &problem)
      : problem(problem), order(problem.ops.size()), decided(problem.numTensors) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int lhs, int rhs) {
      return problem.ops[lhs].weight > problem.ops[rhs].weight;
    });
    for (const CutOp &op : problem.ops) {
      std::vector<int64_t> &sizes = left.emplace_back();
      for (const CutFactor &factor : op.factors)
        sizes.push_back(factor.size);
    }
  }

  CutRound cut(int64_t parts) {
    CutRound round{parts, std::vector<int>(problem.ops.size(), -1)};
    for (std::vector<int> &counts : decided)
      counts.clear();
    for (int op : order) {
      int factor = choose(op, parts);
      round.factors[op] = factor;
      for (const CutUse &use : problem.ops[op].uses)
        ++countOf(use.tensor, findDim(use, factor));
      if (factor >= 0)
        left[op][factor] /= parts;
    }
    ++numRounds;
    return round;
  }

private:
  /// The dimension of a tensor in which `factor` lies, −1 for none.
  static int findDim(const CutUse &use, int factor) {
    for (size_t dim = 0; dim < use.dims.size(); ++dim)
      if (std::find(use.dims[dim].begin(), use.dims[dim].end(), factor) != use.dims[dim].end())
        return static_cast<int>(dim);
    return -1;
  }

  /// How many ops have cut `tensor` in `dim` in this round.
  int &countOf(int tensor, int dim) {
    std::vector<int> &counts = decided[tensor];
    if (counts.size() < static_cast<size_t>(dim) + 2)
      counts.resize(dim + 2);
    return counts[dim + 1];
  }

  /// The given cut, else the legal one of least cost.
  int choose(int op, int64_t parts) {
    if (!problem.ops[op].given.empty())
      return problem.ops[op].given[numRounds];
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (size_t factor = 0; factor < left[op].size(); ++factor) {
      if (!isLegal(op, static_cast<int>(factor), parts))
        continue;
      double cost = price(op, static_cast<int>(factor));
      if (cost < least) {
        least = cost;
        best = static_cast<int>(factor);
      }
    }
    return best < 0 || price(op, -1) < least ? -1 : best;
  }

  /// Whether the factor can be cut, and those before it in each dimension are cut to their ends.
  bool isLegal(int op, int factor, int64_t parts) const {
    const CutOp &cut = problem.ops[op];
    if (!cut.factors[factor].isSplittable || left[op][factor] % parts)
      return false;
    for (const CutUse &use : cut.uses)
      if (int dim = findDim(use, factor); dim >= 0)
        for (int before : use.dims[dim]) {
          if (before == factor)
            break;
          if (left[op][before] > 1)
            return false;
        }
    return true;
  }

  /// What is left of the tensors that are not cut, and of those that a neighbour cuts in another
  /// way. Without a factor no tensor is cut.
  double price(int op, int factor) {
    double cost = 0;
    for (const CutUse &use : problem.ops[op].uses) {
      int dim = findDim(use, factor);
      double elements = countElements(op, use);
      if (dim < 0)
        cost += use.weight * elements;
      const std::vector<int> &counts = decided[use.tensor];
      int all = std::accumulate(counts.begin(), counts.end(), 0);
      cost += redistributionWeight * elements * (all - countOf(use.tensor, dim));
    }
    return cost;
  }

  /// Of a device's part, before this round.
  double countElements(int op, const CutUse &use) const {
    double elements = 1;
    for (const std::vector<int> &dim : use.dims)
      for (int factor : dim)
        elements *= static_cast<double>(left[op][factor]);
    return elements;
  }

  const CutProblem &problem;
  std::vector<int> order;                 ///< heaviest first
  std::vector<std::vector<int64_t>> left; ///< of each factor, by op
  std::vector<std::vector<int>> decided;  ///< by tensor and dimension + 1, in this round
  size_t numRounds = 0;                   ///< done
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

std::vector<CutRound> cutRecursively(const CutProblem &problem, const std::vector<int64_t> &parts) {
  Cutter cutter(problem);
  std::vector<CutRound> rounds;
  for (int64_t count : parts)
    rounds.push_back(cutter.cut(count));
  return rounds;
}

} // namespace pcc::solve
