// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places items one by one into the gaps between placed items that are live with them. An item takes
// the smallest gap that fits (best fit) or the lowest one (first fit). Pairs that are live together
// are found once. A placement stops when its peak reaches that of the best packing. After eight
// placements, random items move forward.
#include "passes/solve/pack/PackSearch.h"

#include "passes/solve/strategy/problem/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace pcc::solve {
namespace {

enum class Fit { Smallest, Lowest }; ///< rule for the gap that an item takes

using Order = std::vector<uint32_t>;
/// Begin and end.
using Range = std::pair<int64_t, int64_t>;

/// Creates packings from orders of the items of one problem.
class Placer {
public:
  explicit Placer(const PackProblem &problem);

  /// Returns the peak of the packing in this order, or `limit` once the peak is not below it.
  int64_t place(const Order &order, Fit fit, int64_t limit);
  /// Offsets of the last order that was placed completely.
  const PackSolution &getOffsets() const { return offsets; }
  int64_t topOf(uint32_t item) const { return offsets[item] + bytes[item]; }
  llvm::ArrayRef<uint32_t> liveWith(uint32_t item) const { return neighbors[item]; }
  int64_t getPairChecks() const { return pairChecks; }
  int64_t getAlignment() const { return alignment; }

private:
  int64_t findGap(int64_t size, Fit fit);

  int64_t alignment;
  std::vector<int64_t> bytes; ///< rounded up to the alignment
  std::vector<std::vector<uint32_t>> neighbors;
  PackSolution offsets; ///< -1: not yet placed
  std::vector<Range> taken;
  int64_t pairChecks = 0;
};

} // namespace

Placer::Placer(const PackProblem &problem)
    : alignment(problem.alignment), neighbors(problem.items.size()) {
  for (const PackItem &item : problem.items)
    bytes.push_back(llvm::alignTo(item.bytes, problem.alignment));
  Order byBirth(bytes.size());
  std::iota(byBirth.begin(), byBirth.end(), 0);
  llvm::stable_sort(byBirth, [&](uint32_t a, uint32_t b) {
    return problem.items[a].first < problem.items[b].first;
  });
  Order live;
  for (uint32_t item : byBirth) {
    llvm::erase_if(live, [&](uint32_t other) {
      return problem.items[other].last < problem.items[item].first;
    });
    for (uint32_t other : live) {
      neighbors[item].push_back(other);
      neighbors[other].push_back(item);
    }
    live.push_back(item);
  }
}

/// Finds a gap between the ranges in `taken`.
int64_t Placer::findGap(int64_t size, Fit fit) {
  llvm::sort(taken);
  int64_t end = 0, best = -1, bestSize = INT64_MAX;
  for (auto [from, to] : taken) {
    if (int64_t gap = from - end; gap >= size && gap < bestSize) {
      best = end;
      bestSize = gap;
      if (fit == Fit::Lowest)
        break;
    }
    end = std::max(end, to);
  }
  return best >= 0 ? best : end;
}

int64_t Placer::place(const Order &order, Fit fit, int64_t limit) {
  offsets.assign(order.size(), -1);
  int64_t peak = 0;
  for (uint32_t item : order) {
    taken.clear();
    for (uint32_t other : neighbors[item])
      if (offsets[other] >= 0)
        taken.push_back({offsets[other], topOf(other)});
    pairChecks += int64_t(neighbors[item].size());
    offsets[item] = findGap(bytes[item], fit);
    peak = std::max(peak, topOf(item));
    if (peak >= limit)
      return limit;
  }
  return peak;
}

namespace {
/// A packing and its order.
struct Packing {
  Order order;
  Fit fit = Fit::Smallest;
  PackSolution offsets;
  int64_t peak = INT64_MAX;
};

class PackSearch {
public:
  PackSearch(const PackProblem &problem, const PackEffort &effort)
      : items(problem.items), effort(effort), placer(problem),
        goal(int64_t(double(lowerBound(problem)) * (1 + effort.gap))) {}
  PackSolution run();

private:
  bool isDone() const { return best.peak <= goal || placer.getPairChecks() >= effort.pairChecks; }
  void take(const Order &order, Fit fit, int64_t limit);
  template <typename Key> void tryOrder(Key key);
  uint32_t pickToMove();
  void moveForward(uint32_t item);

  llvm::ArrayRef<PackItem> items;
  PackEffort effort;
  Placer placer;
  int64_t goal;
  Packing best;
  Random random{1};
};
} // namespace

/// Keeps the packing of `order` if its peak is below `limit`.
void PackSearch::take(const Order &order, Fit fit, int64_t limit) {
  int64_t peak = placer.place(order, fit, limit);
  if (peak < limit)
    best = {order, fit, placer.getOffsets(), peak};
}

/// Tries the order by descending key; ties by descending bytes.
template <typename Key> void PackSearch::tryOrder(Key key) {
  Order order(items.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return std::pair(key(items[a]), items[a].bytes) > std::pair(key(items[b]), items[b].bytes);
  });
  for (Fit fit : {Fit::Smallest, Fit::Lowest})
    if (best.offsets.empty() || !isDone())
      take(order, fit, best.peak);
}

/// Returns an item at the peak, or an item that is live together with one.
uint32_t PackSearch::pickToMove() {
  Order atPeak;
  for (uint32_t item = 0; item < items.size(); ++item)
    if (best.offsets[item] + items[item].bytes > best.peak - placer.getAlignment())
      atPeak.push_back(item);
  uint32_t item = atPeak[random.below(uint32_t(atPeak.size()))];
  llvm::ArrayRef<uint32_t> others = placer.liveWith(item);
  bool moves = others.empty() || random.below(2) == 0;
  return moves ? item : others[random.below(uint32_t(others.size()))];
}

void PackSearch::moveForward(uint32_t item) {
  Order order = best.order;
  auto from = llvm::find(order, item);
  auto to = order.begin() + random.below(uint32_t(from - order.begin()) + 1);
  std::rotate(to, from, from + 1);
  take(order, best.fit, best.peak + 1);
}

PackSolution PackSearch::run() {
  auto length = [](const PackItem &item) { return item.last - item.first + 1; };
  tryOrder([](const PackItem &item) { return item.bytes; });
  tryOrder([&](const PackItem &item) { return double(item.bytes) * double(length(item)); });
  tryOrder(length);
  tryOrder([](const PackItem &item) { return -item.first; });
  while (!isDone())
    moveForward(pickToMove());
  return best.offsets;
}

PackSolution pack(const PackProblem &problem, const PackEffort &effort) {
  if (problem.items.empty())
    return {};
  if (countLivePairs(problem) > effort.maxPairs)
    return packByTime(problem);
  return PackSearch(problem, effort).run();
}

} // namespace pcc::solve
