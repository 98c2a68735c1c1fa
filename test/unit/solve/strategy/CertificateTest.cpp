// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Certificates prove their claims, and no more.

#include "passes/solve/strategy/bounds/Certificate.h"
#include "passes/solve/strategy/Solve.h"
#include "passes/solve/strategy/problem/Random.h"
#include "passes/solve/strategy/reduce/Reduce.h"
#include "test/unit/solve/strategy/StrategyFixture.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace pcc::solve;
using namespace pcc::solve::test;

namespace {

/// A problem that the reductions alone do not solve, and its solution.
struct Solved {
  StrategyProblem problem;
  SolveResult result;

  explicit Solved(uint64_t seed) {
    do {
      problem = make(seed);
      SolveOptions options;
      options.seconds = 1;
      result = solveBest(problem, options);
      seed += 100;
    } while (result.status != SolveStatus::Optimal || result.certificate->stages.empty());
  }

  static StrategyProblem make(uint64_t seed) {
    constexpr int nodes = 16;
    StrategyProblem problem = shapedProblem(Shape::SeriesParallel, nodes, 6, seed);
    problem.usageLimit = int64_t(findUsagePeak(problem).use) + 4;
    Random random(seed);
    for (int i = 0; i < 2 * nodes; ++i) {
      int u = i % nodes, v = static_cast<int>((i + 3 + random.below(9)) % nodes);
      problem.edges.push_back({u, v, randomTable(problem, u, v, 4000, random)});
    }
    return problem;
  }
};

} // namespace

TEST(Certificate, ReadsBack) {
  Solved solved(1);
  ASSERT_TRUE(solved.result.hasSolution());
  ASSERT_FALSE(solved.result.certificate->stages.empty());
  std::string text = printCertificate(*solved.result.certificate);
  auto read = parseCertificate(text);
  ASSERT_TRUE(bool(read)) << read.status().message();
  EXPECT_EQ(printCertificate(*read), text);
  CheckResult checked = checkCertificate(solved.problem, *read, solved.result.solution);
  EXPECT_EQ(checked.error, "");
  EXPECT_TRUE(checked.bound >= solved.result.bound);
}

/// A certificate with any content never proves more than the truth.
TEST(Certificate, CorruptedOnesProveNothingFalse) {
  int refused = 0, weaker = 0, equal = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Solved solved(seed);
    Random random(seed);
    for (int trial = 0; trial < 50; ++trial) {
      Certificate changed = *solved.result.certificate;
      CertificateStage &stage =
          changed.stages[random.below(static_cast<uint32_t>(changed.stages.size()))];
      auto spoil = [&](auto &figures) {
        if (!figures.empty())
          figures[random.below(static_cast<uint32_t>(figures.size()))] +=
              static_cast<int>(random.below(3)) * 1000000 - 999999;
      };
      switch (random.below(6)) {
      case 0:
        spoil(stage.dual.prices);
        break;
      case 1:
        spoil(stage.dual.messages);
        break;
      case 2:
        stage.dual.messages.clear();
        break;
      case 3:
        stage.cutoff -= 1 + random.below(1000);
        break;
      case 4:
        stage.split += 1;
        break;
      case 5:
        spoil(stage.below);
        break;
      }
      CheckResult checked = checkCertificate(solved.problem, changed, solved.result.solution);
      EXPECT_TRUE(!checked.ok() || checked.bound <= solved.result.cost);
      refused += !checked.ok();
      weaker += checked.ok() && checked.bound < solved.result.cost;
      equal += checked.ok() && checked.bound == solved.result.cost;
    }
  }
  printf("of these changes %d are refused, %d prove less, %d as much\n", refused, weaker, equal);
  EXPECT_GT(refused, 50);
}

TEST(Certificate, RefusesWhatDoesNotBelong) {
  Solved solved(1), other(2);
  const Certificate &certificate = *solved.result.certificate;
  CheckResult checked = checkCertificate(other.problem, certificate, other.result.solution);
  EXPECT_TRUE(!checked.ok() || checked.bound <= other.result.cost);
  StrategySolution wrong = solved.result.solution;
  wrong[0] = 99;
  EXPECT_NE(checkCertificate(solved.problem, certificate, wrong).error, "");

  Certificate circle = certificate;
  circle.stages[0].split = -1;
  circle.stages[0].below = {0};
  EXPECT_EQ(checkCertificate(solved.problem, circle, solved.result.solution).error,
            "stage 0: expected stages below that follow it, got 0");
}

/// Returns a certificate of `count` stages, each below the one before it. The stages remove no
/// option, and every second one splits a node into one group.
static Certificate makeStages(const CertificateStage &root, int options, int count) {
  Certificate certificate;
  for (int i = 0; i < count; ++i) {
    CertificateStage &stage = certificate.stages.emplace_back();
    stage.dual.prices.assign(root.dual.prices.size(), 0);
    stage.dual.messages.assign(root.dual.messages.size(), 0);
    stage.cutoff = Int128(1) << 100;
    if (i + 1 < count)
      stage.below = {i + 1};
    if (i + 1 < count && i % 2 == 1) {
      stage.split = 0;
      stage.groups.emplace_back(options);
      std::iota(stage.groups[0].begin(), stage.groups[0].end(), 0);
    }
  }
  return certificate;
}

TEST(Certificate, LimitsTheDepth) {
  Solved solved(1);
  Core core(solved.problem);
  std::vector<Segment> segments = reduce(core);
  compact(core, segments);
  FlatProblem flat(core, segments);
  const CertificateStage &root = solved.result.certificate->stages[0];
  auto errorOf = [&](int count) {
    Certificate certificate = makeStages(root, flat.nodes[0].size, count);
    return checkCertificate(solved.problem, certificate, solved.result.solution).error;
  };
  EXPECT_EQ(errorOf(2000), "");
  EXPECT_EQ(errorOf(2001), "expected at most 2000 stages on a path");
}

TEST(Certificate, RefusesBadText) {
  auto messageOf = [](const char *text) { return parseCertificate(text).status().message(); };
  EXPECT_EQ(messageOf(""), "line 1, column 1: expected 'certificate'");
  EXPECT_EQ(messageOf("certificate 1\n"), "line 1, column 14: expected version 2, got 1");
  EXPECT_EQ(messageOf("certificate 2\nstage -5"),
            "line 2, column 9: expected a number of up to 37 digits");
  EXPECT_EQ(messageOf("certificate 2\nstage 5 -1 0 0\nbelow 99 1"),
            "line 3, column 9: expected a count of what follows, got 99");
  std::string original = "certificate 2\noriginal 0 0\ntimes 0\nprices 0\nmessages 0\n";
  EXPECT_EQ(messageOf(original.c_str()), "");
  EXPECT_EQ(messageOf((original + "original 0 0").c_str()),
            "line 6, column 1: expected the end of the certificate");
  Solved solved(1);
  std::string text = printCertificate(*solved.result.certificate);
  for (size_t length = 0; length + 1 < std::min<size_t>(text.size(), 3000); length += 7)
    (void)parseCertificate(text.substr(0, length));
}
