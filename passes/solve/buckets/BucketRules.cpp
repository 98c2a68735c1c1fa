// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User-given bucket rules; each is one pass over the gradients. The rules by size count the bytes
// of the open bucket. MindSpore's rule restarts at zero when it closes a bucket, so the gradient
// that opens the next one does not count.
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

} // namespace pcc::buckets
