// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/buckets/BucketRules.h"

#include <algorithm>
#include <numeric>

namespace pcc::buckets {

Buckets fuseAll(int count) {
  if (count == 0)
    return {};
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return {all};
}

Buckets fuseNone(int count) {
  Buckets buckets;
  for (int i = 0; i < count; ++i)
    buckets.push_back({i});
  return buckets;
}

Buckets fuseBySize(const std::vector<int64_t> &sizes, int64_t threshold, SizeRule rule) {
  Buckets buckets;
  int64_t bytes = 0;
  bool isOpen = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t sum = bytes + sizes[i];
    if (rule == SizeRule::Reference && sum >= threshold && isOpen) {
      isOpen = false;
      sum = 0;
    }
    if (!isOpen)
      buckets.emplace_back();
    buckets.back().push_back(int(i));
    bytes = sum;
    isOpen = true;
    if (rule == SizeRule::Closes && sum > threshold) {
      isOpen = false;
      bytes = 0;
    }
  }
  return buckets;
}

Buckets fuseByIndex(int count, const std::vector<int64_t> &ends) {
  Buckets buckets;
  for (int i = 0; i < count; ++i) {
    if (i == 0 || std::binary_search(ends.begin(), ends.end(), i))
      buckets.emplace_back();
    buckets.back().push_back(i);
  }
  return buckets;
}

Buckets fuseGreedily(const BucketProblem &problem) {
  Buckets buckets;
  double free = 0;   ///< time at which the channel has sent all buckets but the last
  int64_t bytes = 0; ///< bytes of the last bucket
  for (int i = 0; i < int(problem.gradients.size()); ++i) {
    const Gradient &gradient = problem.gradients[i];
    if (i > 0) {
      int64_t members = int64_t(buckets.back().size());
      double ready = problem.gradients[i - 1].ready;
      double sent = std::max(free, ready) + problem.timeOf(bytes, members);
      double apart = std::max(sent, gradient.ready) + problem.timeOf(gradient.bytes, 1);
      double together =
          std::max(free, gradient.ready) + problem.timeOf(bytes + gradient.bytes, members + 1);
      bool fits = problem.limit == 0 || bytes + gradient.bytes <= problem.limit;
      if (fits && together < apart) {
        buckets.back().push_back(i);
        bytes += gradient.bytes;
        continue;
      }
      free = sent;
    }
    buckets.push_back({i});
    bytes = gradient.bytes;
  }
  return buckets;
}

} // namespace pcc::buckets
