// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules as values: their text form and their invariants.
#include "dialects/interfaces/FactorRule.h"

#include "gtest/gtest.h"
#include <set>
#include <vector>

using namespace pcc;

/// Returns ([i,k],[k,j]) -> ([i,j]), the rule of a matmul of 4x8 and 8x6.
static FactorRule matmul() {
  FactorRule rule;
  DimFactors i = rule.addDim(4), j = rule.addDim(6), k = rule.addDim(8, FactorKind::Reduce);
  rule.addOperand({i, k});
  rule.addOperand({k, j});
  rule.addResult({i, j});
  rule.addLinear(0);
  rule.addLinear(1);
  return rule;
}

static std::string verify(const FactorRule &rule, std::vector<std::vector<int64_t>> operandShapes,
                          std::vector<std::vector<int64_t>> resultShapes) {
  std::vector<llvm::ArrayRef<int64_t>> operands(operandShapes.begin(), operandShapes.end());
  std::vector<llvm::ArrayRef<int64_t>> results(resultShapes.begin(), resultShapes.end());
  return rule.verify(operands, results);
}

TEST(FactorRule, PrintsLikeAnEinsum) {
  EXPECT_EQ(matmul().str(), "([i,k],[k,j]) -> ([i,j]) {reduce k: sum} {linear: (0) (1)}");
}

TEST(FactorRule, PrintsSizeOneAndRankZero) {
  FactorRule rule = FactorRule::pointwise({1, 3}, 1);
  rule.addOperand({});
  EXPECT_EQ(rule.str(), "([_,i],[]) -> ([_,i])");
}

TEST(FactorRule, PrintsCompoundDimensionsAndKinds) {
  FactorRule rule;
  unsigned i = rule.addFactor(2), j = rule.addFactor(3, FactorKind::Whole),
           k = rule.addFactor(4, FactorKind::Window);
  rule.addOperand({{i, j}, {k}});
  rule.addResult({{i}, {j}, {k}});
  EXPECT_EQ(rule.str(), "([i.j,k]) -> ([i,j,k]) {whole j} {window k}");
}

TEST(FactorRule, PrintsSetsOfEqualKindsTogether) {
  FactorRule all = FactorRule::pointwise({2}, 1);
  all.addLinearAnyKind(0);
  EXPECT_EQ(all.str(), "([i]) -> ([i]) {linear any: (0)}");
  FactorRule maximum = FactorRule::pointwise({2}, 2);
  maximum.addLinear({0, 1}, ReduceKind::Max);
  maximum.addLinear(0, ReduceKind::Min);
  maximum.addLinear(1, ReduceKind::Min);
  EXPECT_EQ(maximum.str(), "([i],[i]) -> ([i]) {linear max: (0,1)} {linear min: (0) (1)}");
  FactorRule monotone = FactorRule::pointwise({2}, 1);
  monotone.addLinear(0, ReduceKind::Max);
  monotone.addLinear(0, ReduceKind::Min);
  EXPECT_EQ(monotone.str(), "([i]) -> ([i]) {linear max|min: (0)}");
}

TEST(FactorRule, NamesDoNotRepeat) {
  FactorRule rule;
  std::set<std::string> names;
  for (int factor = 0; factor < 60; ++factor)
    names.insert(rule.getFactor(rule.addFactor(2)).name);
  EXPECT_EQ(names.size(), 60u);
}

TEST(FactorRule, PointwiseSkipsSizeOne) {
  FactorRule rule = FactorRule::pointwise({5, 1, 7}, 2, 2);
  EXPECT_EQ(rule.str(), "([i,_,j],[i,_,j]) -> ([i,_,j],[i,_,j])");
  EXPECT_EQ(verify(rule, {{5, 1, 7}, {5, 1, 7}}, {{5, 1, 7}, {5, 1, 7}}), "");
}

TEST(FactorRule, VerifyAcceptsItsShapes) {
  EXPECT_EQ(verify(matmul(), {{4, 8}, {8, 6}}, {{4, 6}}), "");
}

TEST(FactorRule, VerifyFindsWrongShapes) {
  EXPECT_EQ(verify(matmul(), {{4, 8}}, {{4, 6}}), "expected 2 operands, got 1");
  EXPECT_EQ(verify(matmul(), {{4, 8}, {8, 6}}, {}), "expected 1 results, got 0");
  EXPECT_EQ(verify(matmul(), {{4, 8}, {8}}, {{4, 6}}), "operand #1 has rank 1, expected 2");
  EXPECT_EQ(verify(matmul(), {{4, 8}, {8, 6}}, {{4, 5}}),
            "result #0 dimension 1 has size 5, its factors have 6");
}

TEST(FactorRule, DimensionsAreMultiplesOfAWindow) {
  FactorRule pool;
  DimFactors rows = pool.addDim(4, FactorKind::Window);
  pool.addOperand({rows});
  pool.addResult({rows});
  EXPECT_EQ(verify(pool, {{8}}, {{4}}), "");
  EXPECT_EQ(verify(pool, {{8}}, {{6}}), "result #0 dimension 0 has size 6, its factors have 4");
}

TEST(FactorRule, VerifyFindsWrongFactors) {
  FactorRule twice;
  unsigned i = twice.addFactor(2);
  twice.addOperand({{i}, {i}});
  EXPECT_EQ(verify(twice, {{2, 2}}, {}), "operand #0 holds factor 'i' twice");
  FactorRule unknown;
  unknown.addResult({{7}});
  EXPECT_EQ(verify(unknown, {}, {{2}}), "result #0 names factor #7, which does not exist");
  FactorRule reduced;
  reduced.addResult({reduced.addDim(2, FactorKind::Reduce)});
  EXPECT_EQ(verify(reduced, {}, {{2}}), "result #0 holds the reduced factor 'i'");
}

TEST(FactorRule, VerifyFindsWrongLinearSets) {
  FactorRule empty;
  empty.addLinear({});
  EXPECT_EQ(verify(empty, {}, {}), "a linear set is empty");
  FactorRule outside = FactorRule::pointwise({2}, 1);
  outside.addLinear(1);
  EXPECT_EQ(verify(outside, {{2}}, {{2}}), "a linear set names operand #1 of 1");
}
