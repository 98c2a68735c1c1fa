// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matching of the dimensions of reshapes: known cases, and properties of random shapes.
#include "dialects/graph/rules/ReshapeFactors.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace pcc;
using Shape = std::vector<int64_t>;

static std::string match(Shape from, Shape to) { return graph::matchReshape(from, to).str(); }

TEST(ReshapeFactors, KnownCases) {
  EXPECT_EQ(match({6, 4}, {2, 3, 4}), "([i.j,k]) -> ([i,j,k])");
  EXPECT_EQ(match({2, 3, 4}, {6, 4}), "([i,j,k]) -> ([i.j,k])");
  EXPECT_EQ(match({32, 784}, {32, 28, 28}), "([i,j.k]) -> ([i,j,k])");
  EXPECT_EQ(match({6, 4}, {4, 6}), "([i.j,m]) -> ([i.k,l]) {whole j, k, l, m}");
  EXPECT_EQ(match({6, 4, 5}, {4, 6, 5}), "([i.j,m,n]) -> ([i.k,l,n]) {whole j, k, l, m}");
  EXPECT_EQ(match({3, 2}, {2, 3}), "([i,l]) -> ([j,k]) {whole i, j, k, l}");
}

TEST(ReshapeFactors, SizeOneAndRankZero) {
  EXPECT_EQ(match({}, {}), "([]) -> ([])");
  EXPECT_EQ(match({}, {1, 1}), "([]) -> ([_,_])");
  EXPECT_EQ(match({1, 5, 1}, {5}), "([_,i,_]) -> ([i])");
  EXPECT_EQ(match({5}, {1, 5, 1}), "([i]) -> ([_,i,_])");
}

/// Splits `elements` at random into dimensions; some have size one.
static Shape randomShape(int64_t elements, std::mt19937 &random) {
  Shape shape;
  while (elements > 1) {
    int64_t size = 1 + random() % elements;
    while (elements % size != 0)
      --size;
    shape.push_back(size);
    elements /= size;
    if (size == 1 && random() % 2)
      break;
  }
  shape.push_back(elements);
  return shape;
}

/// Returns the coordinate of an element along every factor; -1 for factors that the tensor lacks.
static std::vector<int64_t> coordinates(const FactorRule &rule, const TensorFactors &dims,
                                        int64_t element) {
  std::vector<int64_t> result(rule.getFactors().size(), -1);
  for (const DimFactors &dim : llvm::reverse(dims))
    for (unsigned factor : llvm::reverse(dim)) {
      result[factor] = element % rule.getFactor(factor).size;
      element /= rule.getFactor(factor).size;
    }
  return result;
}

/// Every element has the same coordinate along a shared factor before and after.
TEST(ReshapeFactors, SharedFactorsMeanTheSameElements) {
  constexpr unsigned seed = 20260101;
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    int64_t elements = 1 + random() % 720;
    Shape from = randomShape(elements, random), to = randomShape(elements, random);
    FactorRule rule = graph::matchReshape(from, to);
    ASSERT_EQ(rule.verify({llvm::ArrayRef(from)}, {llvm::ArrayRef(to)}), "")
        << rule.str() << " seed " << seed << " round " << round;
    for (int64_t element = 0; element < elements; ++element) {
      auto before = coordinates(rule, rule.getOperands()[0], element);
      auto after = coordinates(rule, rule.getResults()[0], element);
      for (auto [factor, left, right] : llvm::enumerate(before, after)) {
        if (rule.getFactor(factor).kind == FactorKind::Parallel)
          ASSERT_EQ(left, right) << rule.str() << " element " << element << " round " << round;
        else
          ASSERT_TRUE(left == -1 || right == -1) << rule.str();
      }
    }
  }
}

/// The slowest dimensions of both sides always share their greatest common divisor.
TEST(ReshapeFactors, MatchesAsMuchOfTheSlowestDimensionAsPossible) {
  std::mt19937 random(20260102);
  for (int round = 0; round < 500; ++round) {
    int64_t elements = 2 + random() % 720;
    Shape from = randomShape(elements, random), to = randomShape(elements, random);
    llvm::erase(from, 1);
    llvm::erase(to, 1);
    FactorRule rule = graph::matchReshape(from, to);
    const Factor &first = rule.getFactor(rule.getOperands()[0][0].front());
    int64_t common = std::gcd(from.front(), to.front());
    EXPECT_EQ(first.kind == FactorKind::Parallel ? first.size : 1, common) << rule.str();
  }
}
