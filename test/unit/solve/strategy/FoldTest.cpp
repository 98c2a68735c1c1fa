// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding of repeated layers: the repetitions found, and the validity of solutions and bounds.

#include "passes/solve/strategy/Solve.h"
#include "passes/solve/strategy/bounds/Certificate.h"
#include "passes/solve/strategy/bounds/PriceSearch.h"
#include "passes/solve/strategy/reduce/State.h"
#include "passes/solve/strategy/symmetry/FoldedProblem.h"
#include "passes/solve/strategy/symmetry/NodeClasses.h"
#include "test/unit/solve/strategy/LayeredFixture.h"
#include "test/unit/solve/strategy/StrategyFixture.h"
#include <gtest/gtest.h>

using namespace pcc::solve;
using namespace pcc::solve::test;

/// Returns classes in which all layers are alike, and the nodes at both ends are alone.
static NodeClasses byLayer(const Layers &layers) {
  NodeClasses classes{{0}, layers.width + 2};
  for (int i = 0; i < layers.count * layers.width; ++i)
    classes.of.push_back(1 + i % layers.width);
  classes.of.push_back(layers.width + 1);
  return classes;
}

/// Returns prices and messages that are found on the folded problem, as a proof for the whole one.
static OriginalDual foldedDual(const StrategyProblem &problem, const NodeClasses &classes) {
  EdgeTables tables(problem);
  std::vector<int64_t> times = findBindingTimes(problem);
  FoldedProblem folded(problem, tables, classes, times);
  FoldedProblem original(problem, tables, singletonClasses(problem), times);
  PriceSearch prices(folded.flat, kSharpSteps, double(folded.constant));
  prices.advance(100 * prices.messages.work(), 400, [] { return false; });
  return roundDual(original, prices.prices(),
                   carryMessages(folded, prices.messages.messages, original));
}

TEST(Fold, SolutionsOfTheFoldedProblemCostTheSame) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Layers layers{5, 3, 3, true, seed};
    StrategyProblem problem = layeredProblem(layers);
    problem.usageLimit = 1'000'000;
    FoldedProblem folded(problem, EdgeTables(problem), byLayer(layers), findBindingTimes(problem));
    Random random(seed);
    std::vector<int32_t> options;
    for (const FlatNode &node : folded.flat.nodes)
      options.push_back(static_cast<int32_t>(random.below(static_cast<uint32_t>(node.size))));
    Verdict verdict = verify(problem, folded.unfold(options));
    EXPECT_EQ(verdict.error, "");
    EXPECT_EQ(double(verdict.cost), costOf(folded.flat, options) + double(folded.constant));
    EXPECT_EQ(folded.fold(folded.unfold(options)), options);
  }
}

TEST(Fold, UseOfTheFoldedProblemIsThatOfAllLayers) {
  Layers layers{6, 3, 3, true, 4};
  StrategyProblem problem = layeredProblem(layers);
  std::vector<int64_t> times = findBindingTimes(problem);
  FoldedProblem folded(problem, EdgeTables(problem), byLayer(layers), times);
  std::vector<int32_t> options(folded.flat.nodes.size(), 0);
  std::vector<int64_t> use = useOf(folded.flat, options);
  for (size_t s = 0; s < times.size(); ++s) {
    int64_t expected = 0;
    for (const StrategyNode &node : problem.nodes)
      expected += node.begin <= times[s] && times[s] < node.end ? node.usages[0] : 0;
    EXPECT_EQ(use[s] + problem.usageLimit - folded.flat.capacities[s], expected);
  }
}

TEST(Fold, FoldedBoundsHoldForTheWholeProblem) {
  int positive = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Layers layers{5, 2, 2, seed % 3 != 0, seed};
    StrategyProblem problem = layeredProblem(layers);
    if (seed % 4 == 1) // one layer has another table
      problem.edges[problem.edges.size() / 2].costs =
          std::vector<int64_t>(problem.edges[problem.edges.size() / 2].costs.size(), 7);
    std::optional<Int128> best = bruteForce(problem);
    if (!best)
      continue;
    OriginalDual dual = foldedDual(problem, byLayer(layers));
    ASSERT_EQ(check(problem, dual), "");
    Int128 bound = boundOf(problem, dual);
    EXPECT_LE(double(bound), double(*best));
    positive += double(bound) > 0.8 * double(*best);
    // Dual values of any size never prove more than the truth.
    Random random(seed);
    for (int64_t &message : dual.messages)
      message += static_cast<int64_t>(random.below(1000)) << random.below(30);
    for (int64_t &price : dual.prices)
      price = price / 2 + static_cast<int64_t>(random.below(100));
    EXPECT_LE(double(boundOf(problem, dual)), double(*best));
  }
  EXPECT_GT(positive, 150);
}

TEST(Fold, OriginalBoundsHoldWhereOptionsAreForbidden) {
  int positive = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StrategyProblem problem = randomProblem(seed);
    std::optional<Int128> best = bruteForce(problem);
    if (!best)
      continue;
    OriginalDual dual = foldedDual(problem, singletonClasses(problem));
    ASSERT_EQ(check(problem, dual), "");
    Int128 bound = boundOf(problem, dual);
    EXPECT_LE(double(bound), double(*best));
    positive += bound > 0;
  }
  EXPECT_GT(positive, 200);
}

TEST(Fold, TablesOfOtherShapeAreOthers) {
  StrategyProblem problem;
  for (int options : {2, 3, 3, 2})
    problem.nodes.push_back(
        {0, 0, std::vector<int64_t>(options, 0), std::vector<int64_t>(options, 0)});
  CostTable table = {0, 1, 2, 3, 4, 5};
  problem.edges = {{0, 1, table}, {2, 3, table}, {0, 2, table}};
  EdgeTables tables(problem);
  EXPECT_EQ(tables.tables.size(), 2);
  EXPECT_NE(tables.of[0], tables.of[1]);
  EXPECT_EQ(tables.of[0], tables.of[2]);
}

TEST(Fold, ClassesAreSplitByLabels) {
  NodeClasses finer = split({{0, 0, 1, 0, 1}, 2}, {7, 8, 7, 7, 7});
  EXPECT_EQ(finer.of, std::vector<int>({0, 1, 2, 0, 2}));
  EXPECT_EQ(finer.count, 3);
}

TEST(Fold, FindsTheLayers) {
  StrategyProblem problem = layeredProblem({60, 12, 4, true, 3});
  NodeClasses alike = findSimilarNodes(problem, EdgeTables(problem));
  ASSERT_GT(alike.count, 0);
  std::vector<Repetition> found = findRepetitions(problem, alike);
  ASSERT_EQ(found.size(), 1);
  EXPECT_GE(found[0].instances, 56);
  // Nodes of the inner layers have the number of their layer plus a constant shift.
  int shift = found[0].instanceOf[1 + 8 * 12] - 8;
  for (int layer = 6; layer < 14; ++layer)
    for (int i = 0; i < 12; ++i)
      EXPECT_NEAR(found[0].instanceOf[1 + layer * 12 + i], layer + shift, 1);
}

TEST(Fold, FindsEncoderAndDecoder) {
  StrategyProblem problem =
      joined(layeredProblem({48, 12, 4, false, 3}), layeredProblem({72, 12, 4, false, 9}));
  NodeClasses alike = findSimilarNodes(problem, EdgeTables(problem));
  ASSERT_GT(alike.count, 0);
  std::vector<Repetition> found = findRepetitions(problem, alike);
  ASSERT_GE(found.size(), 2);
  EXPECT_GT(found[0].instances, 64); // the decoder has more nodes
  EXPECT_LE(found[1].instances, 48);
  int inEncoder = 1 + 10 * 12, inDecoder = 48 * 12 + 2 + 1 + 20 * 12;
  EXPECT_LT(found[0].instanceOf[inEncoder], 0);
  EXPECT_GE(found[1].instanceOf[inEncoder], 0);
  EXPECT_GE(found[0].instanceOf[inDecoder], 0);
}

TEST(Fold, ProblemsWithoutLayersStayAsTheyAre) {
  StrategyProblem chain = shapedProblem(Shape::Chain, 3000, 4, 1);
  EXPECT_EQ(findSimilarNodes(chain, EdgeTables(chain)).count, 0);
}

/// Returns a problem of 2,402 nodes.
static StrategyProblem largeProblem(bool isTight) {
  return layeredProblem({200, 12, 4, isTight, 5});
}

TEST(Fold, ManyPricesStayInRange) {
  StrategyProblem problem = largeProblem(true);
  std::vector<int64_t> times = findBindingTimes(problem);
  ASSERT_GT(times.size(), 400);
  FoldedProblem original(problem, EdgeTables(problem), singletonClasses(problem), times);
  for (double price : {1e-6, 1.0, 1e6}) {
    OriginalDual dual = roundDual(original, std::vector<double>(times.size(), price),
                                  std::vector<float>(original.flat.messages, 0));
    EXPECT_EQ(check(problem, dual), "");
  }
}

/// Small messages do not hide a great cost, which must fit as well.
TEST(Fold, TheScaleOfABoundFitsTheGreatestCost) {
  constexpr int64_t great = int64_t(1) << 40;
  StrategyProblem problem;
  for (int i = 0; i < 2; ++i)
    problem.nodes.push_back({0, 0, {0, 0}, {0, 0}});
  problem.edges = {{0, 1, CostTable{great, great, great, great}}};
  FoldedProblem original(problem, EdgeTables(problem), singletonClasses(problem), {});
  OriginalDual dual = roundDual(original, {}, std::vector<float>(original.flat.messages, 1));
  EXPECT_EQ(check(problem, dual), "");
  EXPECT_TRUE(boundOf(original, dual) == great) << toString(boundOf(original, dual));
}

TEST(Fold, EndsAtTheGapWithACertificate) {
  StrategyProblem problem = largeProblem(true);
  SolveOptions options;
  options.seconds = 20;
  options.gap = 0.02;
  SolveResult result = solveBest(problem, options);
  ASSERT_TRUE(result.hasSolution()) << result.reason;
  EXPECT_LT(result.statistics.seconds, 10);
  EXPECT_TRUE(verify(problem, result.solution).cost == result.cost);
  EXPECT_GE(double(result.bound), 0.98 * double(result.cost));
  ASSERT_TRUE(result.certificate->original);
  auto read = parseCertificate(printCertificate(*result.certificate));
  ASSERT_TRUE(bool(read)) << read.status().message();
  CheckResult checked = checkCertificate(problem, *read, result.solution);
  EXPECT_EQ(checked.error, "");
  EXPECT_TRUE(checked.bound >= result.bound)
      << toString(checked.bound) << " below " << toString(result.bound);
}

// However short the time, the layers are folded once.
TEST(Fold, HasASolutionOfEqualLayersWithoutTime) {
  StrategyProblem problem = largeProblem(false);
  SolveResult exact = solveByDynamicProgramming(problem);
  ASSERT_EQ(exact.status, SolveStatus::Optimal);
  SolveOptions options;
  options.seconds = 1e-3;
  for (auto *solve : {solveByDynamicProgramming, solveBest}) {
    SolveResult result = solve(problem, options);
    ASSERT_TRUE(result.hasSolution()) << result.reason;
    EXPECT_LE(double(result.cost), 1.1 * double(exact.cost));
    EXPECT_TRUE(result.bound <= exact.cost);
  }
}

TEST(Fold, EndsAtTheCutoff) {
  StrategyProblem problem = largeProblem(true);
  SolveOptions options;
  options.seconds = 1;
  SolveResult found = solveBest(problem, options);
  options.cutoff = found.bound / 2;
  SolveResult result = solveBest(problem, options);
  EXPECT_TRUE(result.bound >= *options.cutoff) << toString(result.bound);
  EXPECT_TRUE(result.bound <= found.cost);
  EXPECT_LT(result.statistics.work, found.statistics.work / 2);
}

TEST(Fold, GoesOnToTheOptimumWhereNoGapIsGiven) {
  StrategyProblem problem = largeProblem(false);
  SolveResult exact = solveByDynamicProgramming(problem), best = solveBest(problem);
  ASSERT_EQ(exact.status, SolveStatus::Optimal);
  EXPECT_EQ(best.status, SolveStatus::Optimal);
  EXPECT_EQ(toString(best.cost), toString(exact.cost));
  // One layer that differs from the others must not change the proof or the solution.
  StrategyEdge &edge = problem.edges[problem.edges.size() / 2];
  edge.costs = std::vector<int64_t>(edge.costs.size(), 29);
  exact = solveByDynamicProgramming(problem);
  best = solveBest(problem);
  EXPECT_EQ(toString(best.cost), toString(exact.cost));
  EXPECT_TRUE(best.bound <= exact.cost)
      << toString(best.bound) << " above " << toString(exact.cost);
}

TEST(Fold, SameSeedAndThreadsSameResult) {
  StrategyProblem problem = largeProblem(true);
  SolveOptions options;
  options.seconds = 20;
  options.gap = 0.05;
  SolveResult first = solveBest(problem, options), second = solveBest(problem, options);
  EXPECT_EQ(first.solution, second.solution);
  EXPECT_EQ(toString(first.bound), toString(second.bound));
}
