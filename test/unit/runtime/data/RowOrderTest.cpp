// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/batches/BatchReader.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace pcc::test {
namespace {

using namespace runtime;

std::vector<int64_t> rowsOf(const RowOrder &order, int64_t rows) {
  std::vector<int64_t> all;
  for (int64_t position = 0; position < rows; ++position)
    all.push_back(order.rowAt(position));
  return all;
}

TEST(RowOrder, HasEachRowOnce) {
  for (int64_t rows = 1; rows < 300; ++rows) {
    std::vector<int64_t> all = rowsOf(RowOrder(rows, 5, rows), rows);
    std::set<int64_t> distinct(all.begin(), all.end());
    EXPECT_EQ(int64_t(distinct.size()), rows);
    EXPECT_EQ(*distinct.begin(), 0);
    EXPECT_EQ(*distinct.rbegin(), rows - 1);
  }
}

TEST(RowOrder, DependsOnSeedAndEpoch) {
  std::vector<int64_t> first = rowsOf(RowOrder(100, 5, 0), 100);
  EXPECT_EQ(first, rowsOf(RowOrder(100, 5, 0), 100));
  EXPECT_NE(first, rowsOf(RowOrder(100, 5, 1), 100));
  EXPECT_NE(first, rowsOf(RowOrder(100, 6, 0), 100));
  EXPECT_EQ(RowOrder().rowAt(7), 7);
}

// Any machine must have this order, or it could not continue the training of another one.
TEST(RowOrder, IsTheSameOnEveryMachine) {
  EXPECT_EQ(rowsOf(RowOrder(10, 1, 0), 10), (std::vector<int64_t>{1, 2, 7, 9, 5, 4, 3, 6, 0, 8}));
  EXPECT_EQ(RowOrder(int64_t(1) << 40, 1, 3).rowAt(12345678901), 543475823940);
}

// Numbers of rows up to the greatest one work, with positions anywhere.
TEST(RowOrder, NeedsNoTable) {
  for (int64_t rows : {(int64_t(1) << 33) + 1, int64_t(1) << 62, INT64_MAX}) {
    RowOrder order(rows, 3, 2);
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 10000; ++i) {
      int64_t row = order.rowAt(i < 5000 ? i : rows - 1 - i);
      EXPECT_GE(row, 0);
      EXPECT_LT(row, rows);
      seen.insert(row);
    }
    EXPECT_EQ(seen.size(), 10000u);
  }
}

/// Returns the chi-square statistic of counts that should be equal.
double chiSquare(const std::map<std::vector<int64_t>, int64_t> &counts, int64_t cases,
                 int64_t total) {
  double expected = double(total) / double(cases), sum = 0;
  for (const auto &[value, count] : counts)
    sum += (double(count) - expected) * (double(count) - expected) / expected;
  return sum + expected * double(cases - int64_t(counts.size()));
}

// All orders of a few rows are equally likely, and so are all pairs of the first two of more rows.
// The bounds are exceeded by chance once in 100,000 times; the numbers are fixed.
TEST(RowOrder, IsUniform) {
  std::map<std::vector<int64_t>, int64_t> orders, firstPairs;
  constexpr int64_t epochs = 24000;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    ++orders[rowsOf(RowOrder(4, 1, epoch), 4)];
    ++firstPairs[rowsOf(RowOrder(21, 1, epoch), 2)];
  }
  EXPECT_LT(chiSquare(orders, 24, epochs), 65);
  EXPECT_LT(chiSquare(firstPairs, 21 * 20, epochs), 550);
}

// Neighbors are not neighbors any more: the mean distance of random rows is a third of all rows.
TEST(RowOrder, SpreadsNeighbors) {
  constexpr int64_t rows = 1000000, count = 20000;
  RowOrder order(rows, 9, 0);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += double(std::abs(order.rowAt(i + 1) - order.rowAt(i)));
  EXPECT_NEAR(sum / double(count) / double(rows), 1.0 / 3, 0.01);
}

} // namespace
} // namespace pcc::test
