// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/problem/ProblemFile.h"
#include "test/unit/solve/strategy/StrategyFixture.h"
#include <gtest/gtest.h>

using namespace pcc::solve;

static const char *const two = "problem two\nlimit 12\nnode a [0,3) 5:8 9:4\nnode b [1,4) 2:8 2:4\n"
                               "edge a b  0 7 / 7 0\n";

static StrategyProblem parse(const char *text) {
  auto problem = parseProblemText(text);
  EXPECT_TRUE(bool(problem)) << problem.status().message();
  return problem ? *problem : StrategyProblem();
}

TEST(StrategyProblem, VerifyPricesASolution) {
  StrategyProblem problem = parse(two);
  EXPECT_EQ(toString(verify(problem, {1, 1}).cost), "11");
  EXPECT_EQ(verify(problem, {0, 0}).error,
            "at time 1 16 is used, expected at most 12; most by 'a' (8), 'b' (8)");
  EXPECT_EQ(verify(problem, {0}).error, "expected 2 options, got 1");
  EXPECT_EQ(verify(problem, {0, 2}).error, "'b': expected an option below 2, got 2");
  EXPECT_EQ(verify(problem, {-1, 0}).error, "'a': expected an option below 2, got -1");
}

TEST(StrategyProblem, VerifySeesWhatIsForbidden) {
  StrategyProblem problem = parse("node a 1 x\nnode b 1 1\nedge a b 0 x 0 0\n");
  EXPECT_EQ(verify(problem, {1, 0}).error, "'a': option 1 is forbidden");
  EXPECT_EQ(verify(problem, {0, 1}).error, "option 0 of 'a' forbids option 1 of 'b'");
  EXPECT_TRUE(verify(problem, {0, 0}).ok());
}

TEST(StrategyProblem, IntervalsThatTouchDoNotMeet) {
  StrategyProblem problem =
      parse("limit 5\nnode a [0,2) 1:5\nnode b [2,4) 1:5\nnode c [2,2) 1:9\n");
  EXPECT_TRUE(verify(problem, {0, 0, 0}).ok());
}

TEST(StrategyProblem, BothFormsReadBack) {
  for (int seed = 0; seed < 200; ++seed) {
    StrategyProblem problem = test::randomProblem(seed);
    auto fromText = parseProblemText(printProblemText(problem));
    auto fromJson = parseProblemJson(printProblemJson(problem));
    ASSERT_TRUE(bool(fromText) && bool(fromJson));
    EXPECT_EQ(printProblemJson(*fromText), printProblemJson(problem));
    EXPECT_EQ(printProblemJson(*fromJson), printProblemJson(problem));
  }
}

TEST(StrategyProblem, SkipsUnknownKeysOfJson) {
  std::string text = printProblemJson(test::randomProblem(1)), other = text;
  ASSERT_TRUE(text.starts_with("{\"problem\":{"));
  other.insert(12, "\"version\":2,\"isFinal\":true,");
  other.insert(1, "\"source\":{\"tool\":\"a \\\"}\",\"sizes\":[1,[2.5,null]],\"none\":{}},");
  auto problem = parseProblemJson(other);
  ASSERT_TRUE(bool(problem)) << problem.status().message();
  EXPECT_EQ(printProblemJson(*problem), text);
}

/// The error of a text names the line.
TEST(StrategyProblem, RefusesBadText) {
  auto messageOf = [](const char *text) { return parseProblemText(text).status().message(); };
  EXPECT_EQ(messageOf("nod a 1"),
            "line 1: expected 'problem', 'limit', 'node' or 'edge', got 'nod'");
  EXPECT_EQ(messageOf("node a 1\nnode a 1"), "line 2: node 'a' is there twice");
  EXPECT_EQ(messageOf("node a 1\nedge a b 1"),
            "line 2: expected the name of a node above, got 'b'");
  EXPECT_EQ(messageOf("node a [0,5] 1"), "line 1: column 12: expected ')', got ']'");
  EXPECT_EQ(messageOf("node a"), "line 1: 'a': expected at least one option");
  EXPECT_EQ(messageOf("node a\nnode b\nedge a b 1 / 2"),
            "line 1: 'a': expected at least one option");
  EXPECT_EQ(messageOf("node a 1\nnode b [0,3)\nedge a b 1 / 2"),
            "line 2: 'b': expected at least one option");
  EXPECT_EQ(messageOf("node a -1"), "'a': expected costs of at least 0");
  EXPECT_EQ(messageOf("node a 1:-1"), "'a': expected usages of at least 0");
  EXPECT_EQ(messageOf("node a 1\nnode b 1\nedge a b 1 2"), "edge 0: expected 1 costs, got 2");
  EXPECT_EQ(messageOf("node a 1\nedge a a 1"),
            "edge 0: expected two different nodes, got 'a' twice");
  EXPECT_EQ(messageOf("node a 1:4000000000000000000\nnode b 1:4000000000000000000"),
            "expected greatest usages of all nodes that sum to less than 4611686018427387904, got "
            "8000000000000000000");
  EXPECT_EQ(messageOf("limit -1"), "expected a usage limit of at least 0, got -1");
}

TEST(StrategyProblem, RefusesBadJson) {
  auto messageOf = [](const char *text) { return parseProblemJson(text).status().message(); };
  EXPECT_EQ(messageOf("{"), "line 1, column 2: expected '\"', got the end");
  EXPECT_EQ(messageOf("{\"problem\":{\"nodes\":{\"costs\":[[1,2.5]]}}}"),
            "line 1, column 35: expected an integer, got a fraction or an exponent");
  EXPECT_EQ(messageOf("{\"problem\":{\"nodes\":{\"costs\":[[99999999999999999999]]}}}"),
            "line 1, column 32: expected an integer of 64 bits, got '9'");
  EXPECT_EQ(messageOf("{\"problem\":{\"nodes\":{\"intervals\":[[1,2]],\"costs\":[[1]]}}}"),
            "expected as many intervals as costs and usages, got 1, 1 and 0");
  EXPECT_EQ(messageOf("{\"problem\":{\"nodes\":{\"intervals\":[[1]],\"costs\":[[1]],"
                      "\"usages\":[[1]]}}}"),
            "node 0: expected an interval of 2, got 1");
  EXPECT_EQ(messageOf("{\"problem\":{\"edges\":{\"nodes\":[[0,1]],\"costs\":[[1]]}}}"),
            "edge 0: expected a node below 0, got 0");
  EXPECT_EQ(messageOf("{\"problem\":{\"nodes\":{\"intervals\":[[0,1],[0,1]],\"costs\":[[],[1]],"
                      "\"usages\":[[],[1]]},\"edges\":{\"nodes\":[[0,1]],\"costs\":[[1]]}}}"),
            "node 0: expected at least one option");
}

/// Every prefix of a text, and every text with one byte changed, is read or refused.
TEST(StrategyProblem, NeverFallsOverBadBytes) {
  for (bool isJson : {false, true}) {
    std::string text = isJson ? printProblemJson(test::randomProblem(3)) : two;
    auto read = [&](const std::string &bytes) {
      auto problem = isJson ? parseProblemJson(bytes) : parseProblemText(bytes);
      if (problem) {
        EXPECT_EQ(check(*problem), "");
      }
    };
    for (size_t i = 0; i < text.size(); ++i) {
      read(text.substr(0, i));
      for (char c : {'\0', '[', ']', '{', '}', '-', '9', '"', ',', '\xff'}) {
        std::string changed = text;
        changed[i] = c;
        read(changed);
      }
    }
  }
  EXPECT_FALSE(bool(parseProblemJson(std::string(1 << 20, '['))));
}

TEST(StrategyProblem, SolutionsReadBack) {
  auto solution = parseSolution(printSolution({1, 0, 2}));
  ASSERT_TRUE(bool(solution));
  EXPECT_EQ(*solution, (StrategySolution{1, 0, 2}));
  EXPECT_FALSE(bool(parseSolution("[1, 2")));
  EXPECT_FALSE(bool(parseSolution("[1 2]")));
  EXPECT_EQ(parseSolution("[99999999999]").status().message(),
            "line 1, column 13: expected an option that fits 32 bits, got 99999999999");
  EXPECT_TRUE(bool(parseSolution("[]")));
}
