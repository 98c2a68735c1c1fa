// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the free ranges below the highest used byte by offset, to merge neighbors, and by size, to
// find the smallest. A range at the top is merged into the space above, which has no end.
#include "passes/solve/pack/PackSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

namespace pcc::solve {
namespace {

/// Free bytes of a memory that grows.
class FreeRanges {
public:
  /// Takes `bytes` from the smallest range that holds them, else from the top. Returns their
  /// offset.
  int64_t take(int64_t bytes);
  void release(int64_t offset, int64_t bytes);

private:
  void insert(int64_t offset, int64_t bytes);
  void erase(std::map<int64_t, int64_t>::iterator range);

  std::map<int64_t, int64_t> byOffset;          ///< bytes of each range
  std::set<std::pair<int64_t, int64_t>> bySize; ///< bytes and offset of each range
  int64_t top = 0;                              ///< all bytes from here on are free
};

/// An item that is live, by its last time.
using Ending = std::pair<int64_t, uint32_t>;

} // namespace

void FreeRanges::insert(int64_t offset, int64_t bytes) {
  byOffset[offset] = bytes;
  bySize.insert({bytes, offset});
}

void FreeRanges::erase(std::map<int64_t, int64_t>::iterator range) {
  bySize.erase({range->second, range->first});
  byOffset.erase(range);
}

int64_t FreeRanges::take(int64_t bytes) {
  auto found = bySize.lower_bound({bytes, 0});
  if (found == bySize.end())
    return std::exchange(top, top + bytes);
  auto [size, offset] = *found;
  erase(byOffset.find(offset));
  if (size > bytes)
    insert(offset + bytes, size - bytes);
  return offset;
}

void FreeRanges::release(int64_t offset, int64_t bytes) {
  auto next = byOffset.lower_bound(offset);
  if (next != byOffset.end() && next->first == offset + bytes) {
    bytes += next->second;
    erase(next++);
  }
  if (next != byOffset.begin())
    if (auto before = std::prev(next); before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      erase(before);
    }
  if (offset + bytes == top)
    top = offset;
  else
    insert(offset, bytes);
}

/// Calls `begin` for each item in order of its first time, of equal ones the largest first, and
/// before it `end` for the items whose last time has passed.
static void sweep(llvm::ArrayRef<PackItem> items, llvm::function_ref<void(uint32_t)> begin,
                  llvm::function_ref<void(uint32_t)> end) {
  std::vector<uint32_t> byBirth(items.size());
  std::iota(byBirth.begin(), byBirth.end(), 0);
  llvm::stable_sort(byBirth, [&](uint32_t a, uint32_t b) {
    return std::pair(items[a].first, -items[a].bytes) < std::pair(items[b].first, -items[b].bytes);
  });
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> live;
  for (uint32_t item : byBirth) {
    for (; !live.empty() && live.top().first < items[item].first; live.pop())
      end(live.top().second);
    begin(item);
    live.push({items[item].last, item});
  }
}

static PackSolution packForward(const PackProblem &problem) {
  PackSolution offsets(problem.items.size());
  FreeRanges free;
  auto size = [&](uint32_t item) {
    return int64_t(llvm::alignTo(problem.items[item].bytes, problem.alignment));
  };
  sweep(
      problem.items, [&](uint32_t item) { offsets[item] = free.take(size(item)); },
      [&](uint32_t item) { free.release(offsets[item], size(item)); });
  return offsets;
}

PackSolution packByTime(const PackProblem &problem) {
  PackSolution forward = packForward(problem);
  PackProblem reversed = problem;
  for (PackItem &item : reversed.items)
    item = {item.bytes, -item.last, -item.first};
  PackSolution backward = packForward(reversed);
  return peakOf(problem, backward) < peakOf(problem, forward) ? backward : forward;
}

int64_t countLivePairs(const PackProblem &problem) {
  int64_t live = 0, pairs = 0;
  sweep(problem.items, [&](uint32_t) { pairs += live++; }, [&](uint32_t) { --live; });
  return pairs;
}

} // namespace pcc::solve
