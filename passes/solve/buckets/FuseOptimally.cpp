// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimal gradient fusion by dynamic programming over prefixes of the gradients. The earliest end
// of a prefix follows from the earliest ends of all shorter prefixes. The buckets are then read off
// backwards.
#include "passes/solve/buckets/BucketProblem.h"

#include <limits>

namespace pcc::buckets {

namespace {
/// The best way to send the first gradients.
struct Best {
  double finish = 0;
  int buckets = 0;
  int first = 0; ///< first gradient of the last bucket
};
} // namespace

/// Returns the best end of the first `end` gradients:
///
///   f(end) = min over i of max(f(i), ready of gradient end − 1) + time of gradients i … end − 1
static Best findBest(const BucketProblem &problem, const std::vector<Best> &best, int end) {
  Best result{std::numeric_limits<double>::infinity(), 0, 0};
  int64_t bytes = 0;
  double ready = 0;
  for (int first = end - 1; first >= 0; --first) {
    int members = end - first;
    bytes += problem.gradients[first].bytes;
    ready = std::max(ready, problem.gradients[first].ready);
    if (problem.limit > 0 && members > 1 && bytes > problem.limit)
      break;
    double finish = std::max(best[first].finish, ready) + problem.timeOf(bytes, members);
    int buckets = best[first].buckets + 1;
    if (finish < result.finish || (finish == result.finish && buckets < result.buckets))
      result = {finish, buckets, first};
  }
  return result;
}

Buckets fuseOptimally(const BucketProblem &problem) {
  int count = int(problem.gradients.size());
  std::vector<Best> best(count + 1);
  for (int end = 1; end <= count; ++end)
    best[end] = findBest(problem, best, end);
  Buckets buckets(best[count].buckets);
  for (int end = count, i = int(buckets.size()) - 1; i >= 0; --i) {
    int first = best[end].first;
    for (int member = first; member < end; ++member)
      buckets[i].push_back(member);
    end = first;
  }
  return buckets;
}

} // namespace pcc::buckets
