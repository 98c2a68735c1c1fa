// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/cuts/RecursiveCuts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace pcc::solve;

namespace {

/// Builds a problem op by op.
struct Builder {
  CutProblem problem;

  CutOp &add(CutRule rule, std::vector<int> tensors, double weight = 0) {
    problem.rules.push_back(std::move(rule));
    for (int tensor : tensors)
      problem.numTensors = std::max(problem.numTensors, tensor + 1);
    return problem.ops.emplace_back(
        CutOp{static_cast<int>(problem.rules.size()) - 1, std::move(tensors), weight});
  }

  /// Adds a matmul with rows i, columns j and depth k; its tensors are left, right, result.
  CutOp &addMatmul(int64_t i, int64_t j, int64_t k, std::vector<int> tensors) {
    CutRule rule{{{i}, {j}, {k}}, {{{{0}, {2}}, 0.5}, {{{2}, {1}}, 0.125}, {{{0}, {1}}, 0.5}}};
    return add(rule, std::move(tensors),
               static_cast<double>(i) * static_cast<double>(j) * static_cast<double>(k));
  }

  /// Returns the parts of each factor of `op` after rounds of `parts`.
  std::vector<int64_t> countParts(const std::vector<int64_t> &parts, size_t op = 0) const {
    return countParts(cutRecursively(problem, parts), op);
  }
  std::vector<int64_t> countParts(const std::vector<CutRound> &rounds, size_t op) const {
    std::vector<int64_t> parts(problem.rules[problem.ops[op].rule].factors.size(), 1);
    for (const CutRound &round : rounds)
      if (round.factors[op] >= 0)
        parts[round.factors[op]] *= round.parts;
    return parts;
  }
};

using Parts = std::vector<int64_t>;

TEST(RecursiveCuts, ThePapersExample) {
  Builder builder;
  builder.addMatmul(256, 512, 784, {0, 1, 2});
  EXPECT_EQ(builder.countParts(listPrimes(8)), (Parts{4, 1, 2}));
}

TEST(RecursiveCuts, NeighborsCutWhatTheyShareAlike) {
  Builder alone;
  double weight = alone.addMatmul(4096, 65536, 64, {2, 3, 4}).weight;
  EXPECT_EQ(alone.countParts(listPrimes(4)), (Parts{1, 4, 1}));
  // The op follows a matmul that decides first and cuts its rows; rows are therefore cut here as
  // well.
  Builder both;
  both.addMatmul(4096, 64, 64, {0, 1, 2}).weight = 2 * weight;
  both.addMatmul(4096, 65536, 64, {2, 3, 4});
  EXPECT_EQ(both.countParts(listPrimes(4), 0), (Parts{4, 1, 1}));
  EXPECT_EQ(both.countParts(listPrimes(4), 1), (Parts{4, 1, 1}));
}

TEST(RecursiveCuts, GivenCutsAreKept) {
  Builder builder;
  builder.addMatmul(64, 64, 64, {0, 1, 2}).given = {1, 1, 1};
  builder.addMatmul(64, 64, 64, {2, 3, 4}).given = {0, -1, 2};
  EXPECT_EQ(builder.countParts({2, 2, 2}, 0), (Parts{1, 8, 1}));
  EXPECT_EQ(builder.countParts({2, 2, 2}, 1), (Parts{2, 1, 2}));
}

TEST(RecursiveCuts, OtherPrimesThanTwo) {
  Builder builder;
  builder.addMatmul(12, 10, 7, {0, 1, 2});
  EXPECT_EQ(builder.countParts(listPrimes(6)), (Parts{6, 1, 1}));
  EXPECT_EQ(builder.countParts(listPrimes(5)), (Parts{1, 5, 1}));
  EXPECT_EQ(builder.countParts(listPrimes(11)), (Parts{1, 1, 1}));
  EXPECT_TRUE(cutRecursively(builder.problem, listPrimes(1)).empty());
}

TEST(RecursiveCuts, EveryCutIsLegal) {
  std::mt19937 random(7);
  auto draw = [&](int most) { return static_cast<int>(random() % most); };
  for (int test = 0; test < 300; ++test) {
    Builder builder;
    for (int op = 0; op < 6; ++op) {
      // A reshape of [f0, f1] to [f0.f1] between matmuls: f1 is cut only after f0.
      CutRule reshape{{{1 + draw(12)}, {1 + draw(12)}}, {{{{0}, {1}}}, {{{0, 1}}}}};
      builder.add(reshape, {op, op + 1});
      int64_t i = 1 + draw(24), j = 1 + draw(24), k = 1 + draw(24);
      builder.addMatmul(i, j, k, {op, 7 + draw(6), op + 1});
    }
    int64_t devices = 1 + draw(48);
    std::vector<CutRound> rounds = cutRecursively(builder.problem, listPrimes(devices));
    int64_t all = 1;
    for (const CutRound &round : rounds)
      all *= round.parts;
    EXPECT_EQ(all, devices);
    for (size_t op = 0; op < builder.problem.ops.size(); ++op) {
      Parts parts = builder.countParts(rounds, op);
      const std::vector<CutFactor> &factors = builder.problem.rules[op].factors;
      for (size_t factor = 0; factor < parts.size(); ++factor)
        EXPECT_EQ(factors[factor].size % parts[factor], 0);
      if (factors.size() == 2 && parts[1] > 1) {
        EXPECT_EQ(parts[0], factors[0].size);
      }
    }
  }
}

/// Makes a chain of matmuls with one rule; each has its own parameter.
CutProblem makeChain(int length) {
  Builder builder;
  builder.addMatmul(1 << 20, 4096, 4096, {0, 1, 2});
  CutOp first = builder.problem.ops.front();
  builder.problem.ops.clear();
  for (int op = 0; op < length; ++op)
    builder.problem.ops.push_back({0, {2 * op, 2 * op + 1, 2 * op + 2}, first.weight});
  builder.problem.numTensors = 2 * length + 1;
  return std::move(builder.problem);
}

TEST(RecursiveCuts, WorkIsLinearInOpsAndCuts) {
  auto count = [](int length, int64_t devices) {
    uint64_t work = 0;
    EXPECT_EQ(cutRecursively(makeChain(length), listPrimes(devices), &work).front().factors.size(),
              static_cast<size_t>(length));
    return work;
  };
  // Three operands under each of three factors and no factor, in twelve rounds of 100,000 ops.
  uint64_t work = count(100000, 4096);
  EXPECT_LE(work, 3u * 4 * 12 * 100000);
  EXPECT_LE(work, 100 * count(1000, 4096));
  EXPECT_LE(count(1000, 4096), 2 * count(1000, 64));
}

} // namespace
