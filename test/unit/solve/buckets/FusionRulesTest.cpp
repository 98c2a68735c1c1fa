// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/buckets/BucketProblem.h"
#include "passes/solve/buckets/BucketRules.h"

#include <gtest/gtest.h>

using namespace pcc::buckets;

TEST(BucketRules, SizeClosesABucketWithWhatExceedsTheThreshold) {
  EXPECT_EQ(printBuckets(fuseBySize({4, 3, 2, 5, 1}, 5, SizeRule::Closes)), "0 1 | 2 3 | 4");
  EXPECT_EQ(printBuckets(fuseBySize({5, 5}, 5, SizeRule::Closes)), "0 1");
  EXPECT_EQ(printBuckets(fuseBySize({6, 5}, 5, SizeRule::Closes)), "0 | 1");
  EXPECT_EQ(printBuckets(fuseBySize({1, 1}, 0, SizeRule::Closes)), "0 | 1");
}

TEST(BucketRules, TheReferenceDoesNotCountWhatOpensABucket) {
  EXPECT_EQ(printBuckets(fuseBySize({4, 3, 2, 5, 1}, 5, SizeRule::Reference)), "0 | 1 2 | 3 4");
  EXPECT_EQ(printBuckets(fuseBySize({9, 9, 1, 4, 1}, 5, SizeRule::Reference)), "0 | 1 2 | 3 4");
}

TEST(BucketRules, IndexCutsBehindSoManyGradients) {
  EXPECT_EQ(printBuckets(fuseByIndex(5, {2, 3})), "0 1 | 2 | 3 4");
  EXPECT_EQ(printBuckets(fuseByIndex(2, {2, 30})), "0 1");
  std::vector<size_t> sizes;
  for (const std::vector<int> &bucket : fuseByIndex(50, {20, 35}))
    sizes.push_back(bucket.size());
  EXPECT_EQ(sizes, (std::vector<size_t>{20, 15, 15}));
}

TEST(BucketRules, AllAndNone) {
  EXPECT_EQ(printBuckets(fuseAll(3)), "0 1 2");
  EXPECT_EQ(printBuckets(fuseNone(3)), "0 | 1 | 2");
  EXPECT_TRUE(fuseAll(0).empty());
  EXPECT_TRUE(fuseByIndex(0, {1}).empty());
  EXPECT_TRUE(fuseBySize({}, 1, SizeRule::Closes).empty());
}
