// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/RecursiveCuts.h"

#include <gtest/gtest.h>
#include <random>

using namespace pcc::solve;

namespace {

/// Rows i, columns j, depth k; tensors left, right, result by number.
CutOp matmul(int64_t i, int64_t j, int64_t k, int left, int right, int result) {
  CutOp op{{{i}, {j}, {k}},
           {{left, {{0}, {2}}, 0.5}, {right, {{2}, {1}}, 0.125}, {result, {{0}, {1}}, 0.5}}};
  op.weight = static_cast<double>(i) * static_cast<double>(j) * static_cast<double>(k);
  return op;
}

/// The parts of each factor of `op`.
std::vector<int64_t> countParts(const std::vector<CutRound> &rounds, const CutProblem &problem,
                                size_t op) {
  std::vector<int64_t> parts(problem.ops[op].factors.size(), 1);
  for (const CutRound &round : rounds)
    if (round.factors[op] >= 0)
      parts[round.factors[op]] *= round.parts;
  return parts;
}

TEST(RecursiveCuts, ThePapersExample) {
  CutProblem problem{{matmul(256, 512, 784, 0, 1, 2)}, 3};
  EXPECT_EQ(countParts(cutRecursively(problem, listPrimes(8)), problem, 0),
            (std::vector<int64_t>{4, 1, 2}));
}

TEST(RecursiveCuts, NeighboursCutWhatTheyShareAlike) {
  CutOp wide = matmul(4096, 65536, 64, 2, 3, 4);
  CutProblem alone{{wide}, 5};
  EXPECT_EQ(countParts(cutRecursively(alone, listPrimes(4)), alone, 0),
            (std::vector<int64_t>{1, 4, 1}));
  // Behind a product that decides first, and cuts its rows, rows are cut here as well.
  CutProblem problem{{matmul(4096, 64, 64, 0, 1, 2), wide}, 5};
  problem.ops[0].weight = 2 * wide.weight;
  std::vector<CutRound> rounds = cutRecursively(problem, listPrimes(4));
  EXPECT_EQ(countParts(rounds, problem, 0), (std::vector<int64_t>{4, 1, 1}));
  EXPECT_EQ(countParts(rounds, problem, 1), (std::vector<int64_t>{4, 1, 1}));
}

TEST(RecursiveCuts, GivenCutsAreKept) {
  CutProblem problem{{matmul(64, 64, 64, 0, 1, 2), matmul(64, 64, 64, 2, 3, 4)}, 5};
  problem.ops[0].given = {1, 1, 1};
  problem.ops[1].given = {0, -1, 2};
  std::vector<CutRound> rounds = cutRecursively(problem, {2, 2, 2});
  EXPECT_EQ(countParts(rounds, problem, 0), (std::vector<int64_t>{1, 8, 1}));
  EXPECT_EQ(countParts(rounds, problem, 1), (std::vector<int64_t>{2, 1, 2}));
}

TEST(RecursiveCuts, OtherPrimesThanTwo) {
  CutProblem problem{{matmul(12, 10, 7, 0, 1, 2)}, 3};
  EXPECT_EQ(countParts(cutRecursively(problem, listPrimes(6)), problem, 0),
            (std::vector<int64_t>{6, 1, 1}));
  EXPECT_EQ(countParts(cutRecursively(problem, listPrimes(5)), problem, 0),
            (std::vector<int64_t>{1, 5, 1}));
  EXPECT_EQ(countParts(cutRecursively(problem, listPrimes(11)), problem, 0),
            (std::vector<int64_t>{1, 1, 1}));
  EXPECT_TRUE(cutRecursively(problem, listPrimes(1)).empty());
}

TEST(RecursiveCuts, EveryCutIsLegal) {
  std::mt19937 random(7);
  auto draw = [&](int most) { return static_cast<int>(random() % most); };
  for (int test = 0; test < 300; ++test) {
    CutProblem problem;
    for (int op = 0; op < 6; ++op) {
      // A reshape of [f0, f1] to [f0.f1] beside products: the latter factor waits for the former.
      CutOp reshape{{{1 + draw(12)}, {1 + draw(12)}}, {{op, {{0}, {1}}}, {op + 1, {{0, 1}}}}};
      problem.ops.push_back(reshape);
      problem.ops.push_back(
          matmul(1 + draw(24), 1 + draw(24), 1 + draw(24), op, 6 + draw(6), op + 1));
    }
    problem.numTensors = 14;
    int64_t devices = 1 + draw(48);
    std::vector<CutRound> rounds = cutRecursively(problem, listPrimes(devices));
    int64_t all = 1;
    for (const CutRound &round : rounds)
      all *= round.parts;
    EXPECT_EQ(all, devices);
    for (size_t op = 0; op < problem.ops.size(); ++op) {
      std::vector<int64_t> parts = countParts(rounds, problem, op);
      const std::vector<CutFactor> &factors = problem.ops[op].factors;
      for (size_t factor = 0; factor < parts.size(); ++factor)
        EXPECT_EQ(factors[factor].size % parts[factor], 0);
      if (factors.size() == 2 && parts[1] > 1) {
        EXPECT_EQ(parts[0], factors[0].size);
      }
    }
  }
}

} // namespace
