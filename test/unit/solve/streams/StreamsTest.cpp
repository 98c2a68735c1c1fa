// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/solve/streams/StreamText.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace pcc::streams;

static StreamProblem parse(const std::string &text) {
  ParsedStreams parsed = parseProblem(text);
  EXPECT_EQ(parsed.error, "");
  return parsed.problem;
}

static double finishOf(const StreamProblem &problem, const StreamOrder &order) {
  StreamTimes times = runInOrder(problem, order);
  EXPECT_EQ(times.error, "");
  return times.finish;
}

TEST(Lanes, PutsOneCopyUnderTheMessagesOfTheOther) {
  StreamProblem problem = parse(R"(
    compute 1 a1
    send 1 1 ra1 after a1
    compute 1 a2 after ra1
    send 1 1 ra2 after a2
    compute 1 b1
    send 1 1 rb1 after b1
    compute 1 b2 after rb1
    send 1 1 rb2 after b2
  )");
  EXPECT_DOUBLE_EQ(finishOf(problem, givenOrder(problem)), 7);
  EXPECT_EQ(printOrder(problem, schedule(problem)), "a1 ra1 b1 rb1 a2 ra2 b2 rb2");
  EXPECT_DOUBLE_EQ(finishOf(problem, schedule(problem)), 5);
  EXPECT_DOUBLE_EQ(lowerBound(problem), 4);
}

/// Each layer of each copy is two matmuls. If all copies computed before the first message, the
/// message stream would be idle during the computation, and the compute stream afterwards.
TEST(Lanes, ComputesACopyUpToItsMessageBeforeAnother) {
  std::string text;
  for (std::string copy : {"a", "b"})
    for (int layer = 1; layer <= 4; ++layer) {
      std::string own = copy + std::to_string(layer), before = copy + std::to_string(layer - 1);
      text += "compute 2 p" + own + (layer > 1 ? " after r" + before : "") + "\n";
      text += "compute 2 q" + own + " after p" + own + "\n";
      text += "send 1 3 r" + own + " after q" + own + "\n";
    }
  StreamProblem problem = parse(text);
  EXPECT_DOUBLE_EQ(finishOf(problem, schedule(problem)), 4 * 8 + 3);
  EXPECT_EQ(printOrder(problem, schedule(problem)).substr(0, 36),
            "pa1 qa1 ra1 pb1 qb1 rb1 pa2 qa2 ra2 ");
}

/// Work without waiting readers fills the time of a message that has a waiting reader.
TEST(Lanes, FillsGapsWithWhatNothingWaitsFor) {
  StreamProblem problem = parse(R"(
    compute 1 input2
    compute 1 weight2 after input2
    send 1 1 sum after input2
    compute 1 input1 after sum
    compute 1 weight1 after input1
  )");
  EXPECT_EQ(printOrder(problem, schedule(problem)), "input2 sum weight2 input1 weight1");
  EXPECT_DOUBLE_EQ(finishOf(problem, schedule(problem)), 4);
}

/// The backward pass of many layers: no long chain hangs on a weight's gradient, and yet its sum
/// has to be sent while the pass goes on.
TEST(Lanes, ComputesEarlyWhatIsSent) {
  constexpr int layers = 40;
  std::string text;
  for (int layer = layers; layer > 0; --layer) {
    std::string own = std::to_string(layer), above = std::to_string(layer + 1);
    std::string after = layer < layers ? " after input" + above : "";
    text += "compute 2 input" + own + after + "\ncompute 2 weight" + own + after + "\n";
    text += "send 1 3 reduce" + own + " after weight" + own + "\n";
  }
  StreamProblem problem = parse(text);
  StreamOrder found = schedule(problem);
  EXPECT_DOUBLE_EQ(finishOf(problem, found), layers * 4 + 3);
  EXPECT_DOUBLE_EQ(lowerBound(problem), layers * 4);
}

/// The input gradient of a stage comes first, because another rank waits for it.
TEST(Lanes, ComputesFirstWhatIsSentToAnotherRank) {
  StreamProblem problem = parse(R"(
    compute 1 a
    send 1 1 sum after a
    compute 1 b after sum
    compute 2 weight
    send 1 1 reduce after weight
    compute 2 input
    send 2 1 gradient after input
  )");
  EXPECT_DOUBLE_EQ(runInOrder(problem, schedule(problem)).begin.back(), 5);
  problem.tasks.back().isSend = true;
  EXPECT_DOUBLE_EQ(runInOrder(problem, schedule(problem)).begin.back(), 2);
  EXPECT_DOUBLE_EQ(finishOf(problem, schedule(problem)), 6);
}

/// A gradient is reduced after a sum on the critical path, although the gradient is ready first.
TEST(Lanes, LeavesALongMessageForLaterWhereAnUrgentOneComes) {
  StreamProblem problem = parse(R"(
    compute 1 weight2
    compute 1 input2
    send 1 6 reduce2 after weight2
    send 1 1 sum after input2
    compute 4 input1 after sum
    compute 4 rest after input1
  )");
  EXPECT_DOUBLE_EQ(finishOf(problem, givenOrder(problem)), 17);
  EXPECT_EQ(printOrder(problem, schedule(problem)), "input2 sum weight2 reduce2 input1 rest");
  EXPECT_DOUBLE_EQ(finishOf(problem, schedule(problem)), 10);
}

/// A ring of attention in many layers: the chain of key blocks is the longest, but nothing can be
/// computed before the query is there. Each layer begins with a key that the query's message
/// delays.
TEST(Lanes, SendsFirstWhatMoreWorkWaitsFor) {
  constexpr int layers = 150, blocks = 6;
  std::string text, joined;
  for (int layer = 1; layer <= layers; ++layer) {
    std::string own = std::to_string(layer) + ".", after = joined.empty() ? "" : " after " + joined;
    text += "compute 1 input" + own + after + "\n";
    for (int block = 1; block <= blocks; ++block)
      text += "send 1 1 key" + own + std::to_string(block) + " after " +
              (block > 1 ? "key" + own + std::to_string(block - 1) : "input" + own) + "\n";
    text += "send 1 1 query" + own + " after input" + own + "\n";
    joined.clear();
    for (int block = 1; block <= blocks; ++block) {
      std::string number = own + std::to_string(block);
      text += "compute 1 part" + number + " after query" + own + " key" + number + "\n";
      joined += " part" + number;
    }
  }
  StreamProblem problem = parse(text);
  EXPECT_DOUBLE_EQ(finishOf(problem, givenOrder(problem)), layers * (1 + 1 + 2 * blocks));
  EXPECT_DOUBLE_EQ(finishOf(problem, schedule(problem)), layers * (1 + 2 + blocks));
}

/// Work of the last run only does not delay the other runs.
TEST(Lanes, CountsAllRuns) {
  StreamProblem problem = parse(R"(
    runs 3
    compute 1 a
    send 1 2 s after a
    compute 2 b after s
    last send 1 1 reduce after a
  )");
  EXPECT_DOUBLE_EQ(totalSeconds(problem, {0, 1, 2, 3}), 16);
  EXPECT_DOUBLE_EQ(totalSeconds(problem, {0, 3, 1, 2}), 16);
  EXPECT_DOUBLE_EQ(totalSeconds(problem, {0, 1, 3, 2}), 15);
  EXPECT_EQ(printOrder(problem, schedule(problem)), "a s reduce b");
  EXPECT_EQ(parseProblem("last send 1 1 s\ncompute 1 a after s").error.substr(0, 6), "line 2");
}

/// Parameters are gathered while the preceding layer is computed, and no earlier. The sum, which
/// nothing reads, is sent before a parameter that can wait.
TEST(Lanes, PlacesMessagesBetweenLayers) {
  StreamProblem problem = parse(R"(
    send 1 1 g1
    send 1 1 g2
    send 1 1 g3
    send 1 1 g4
    compute 2 c1 after g1
    compute 2 c2 after c1 g2
    send 1 1 sum after c1
    compute 2 c3 after c2 g3
    compute 2 c4 after c3 g4
  )");
  StreamOrder found = schedule(problem), placed = placeMessages(problem, found);
  EXPECT_EQ(printOrder(problem, found), "g1 g2 g3 g4 c1 c2 sum c3 c4");
  EXPECT_EQ(printOrder(problem, placed), "g1 g2 c1 sum g3 c2 g4 c3 c4");
  EXPECT_DOUBLE_EQ(finishOf(problem, placed), finishOf(problem, found));
  StreamTimes times = runInOrder(problem, placed);
  EXPECT_DOUBLE_EQ(times.begin[1], 1);
  EXPECT_DOUBLE_EQ(times.begin[2], 4);
  EXPECT_DOUBLE_EQ(times.begin[3], 5);
  EXPECT_DOUBLE_EQ(times.begin[6], 3);
}

/// The reader of the message is outside the problem.
TEST(Lanes, LeavesAMessageThatNeitherReadsNorIsRead) {
  StreamProblem problem = parse("send 1 1 s\ncompute 5 a\nsend 1 1 g\ncompute 1 b after g");
  EXPECT_EQ(printOrder(problem, placeMessages(problem, givenOrder(problem))), "s a g b");
  EXPECT_EQ(printOrder(problem, placeMessages(problem, {0, 2, 1, 3})), "s g a b");
}

TEST(Lanes, ARankBeginsAMessageOnlyBehindWhatItComputesBefore) {
  StreamProblem problem = parse("compute 1 a\ncompute 5 b\nsend 1 1 s after a");
  EXPECT_DOUBLE_EQ(runInOrder(problem, {0, 1, 2}).begin[2], 6);
  EXPECT_DOUBLE_EQ(runInOrder(problem, {0, 2, 1}).begin[2], 1);
}

TEST(Lanes, RefusesWhatIsNoOrder) {
  StreamProblem problem = parse("compute 1 a\nsend 1 1 s after a");
  EXPECT_EQ(runInOrder(problem, {1, 0}).error, "'s' stands before 'a'");
  EXPECT_EQ(runInOrder(problem, {0}).error, "'s' is missing");
  EXPECT_EQ(runInOrder(problem, {0, 0}).error, "'a' comes twice");
  EXPECT_EQ(runInOrder(problem, {0, 2}).error, "expected tasks 0 to 1, got 2");
}

TEST(Lanes, NamesTheLineThatItCannotRead) {
  auto refuses = [](const std::string &line) {
    std::string error = parseProblem("compute 1 a\n" + line).error;
    EXPECT_EQ(error.substr(0, 16), "line 2: expected") << line;
  };
  refuses("compute 1 a");
  refuses("compute -1 b");
  refuses("send 0 1 s");
  refuses("send 1 1 s after b");
  refuses("compute 1 b behind a");
  refuses("copy 1 b");
  refuses("runs 0");
  refuses("last runs 2");
}

/// Builds `layers` of work C and then a message K, split into `copies` equal parts. All layers of
/// one copy precede those of the next.
static StreamProblem makeCopies(int layers, int copies, double compute, double communicate) {
  StreamProblem problem;
  for (int copy = 0; copy < copies; ++copy)
    for (int layer = 0; layer < layers; ++layer) {
      int last = int(problem.tasks.size()) - 1;
      problem.tasks.push_back({computeStream, compute / copies, {}, ""});
      if (layer > 0)
        problem.tasks.back().after = {last};
      problem.tasks.push_back({1, communicate / copies, {last + 1}, ""});
    }
  return problem;
}

/// Published time of k >= 2 copies of L layers: L max(C, K) + min(C, K) / k.
TEST(Lanes, ReachesTheFormulaOfInterleavedCopies) {
  for (int layers : {1, 2, 5, 24})
    for (int copies : {2, 3, 4, 8})
      for (double compute : {0.25, 1.0, 3.0})
        for (double communicate : {0.25, 1.0, 2.0}) {
          StreamProblem problem = makeCopies(layers, copies, compute, communicate);
          double expected =
              layers * std::max(compute, communicate) + std::min(compute, communicate) / copies;
          EXPECT_NEAR(finishOf(problem, schedule(problem)), expected, 1e-9)
              << layers << " layers, " << copies << " copies, " << compute << ", " << communicate;
        }
}

static StreamProblem makeRandom(int seed, int tasks) {
  std::mt19937 random(seed);
  auto below = [&](int n) { return int(random() % n); };
  StreamProblem problem;
  for (int i = 0; i < tasks; ++i) {
    Task task{below(2) ? computeStream : 1 + below(2), double(below(8)), {}, ""};
    for (int before = 0; before < i; ++before)
      if (below(3) == 0)
        task.after.push_back(before);
    problem.tasks.push_back(task);
  }
  return problem;
}

/// Compared with all orders: never later than the given order, seldom later than the best one.
TEST(Lanes, ComesCloseToTryingAllOrders) {
  int best = 0, total = 0;
  double excess = 0;
  for (int seed = 0; seed < 2'000; ++seed) {
    StreamProblem problem = makeRandom(seed, 1 + seed % 8);
    double least = finishOf(problem, givenOrder(problem));
    StreamOrder order;
    std::vector<bool> used(problem.tasks.size());
    std::function<void()> extend = [&] {
      if (order.size() == problem.tasks.size())
        least = std::min(least, runInOrder(problem, order).finish);
      for (int i = 0; i < int(problem.tasks.size()); ++i) {
        const std::vector<int> &after = problem.tasks[i].after;
        if (used[i] || !std::all_of(after.begin(), after.end(), [&](int j) { return used[j]; }))
          continue;
        used[i] = true;
        order.push_back(i);
        extend();
        order.pop_back();
        used[i] = false;
      }
    };
    extend();
    double found = finishOf(problem, schedule(problem));
    ASSERT_GE(found, least);
    ASSERT_GE(least, lowerBound(problem));
    best += found == least;
    excess += least > 0 ? found / least - 1 : 0;
    ++total;
  }
  EXPECT_GT(best, total * 97 / 100);
  EXPECT_LT(excess / total, 0.005);
}

/// For any order: the end stays the same, messages that fetch move later, and those that only send
/// move earlier.
TEST(Lanes, PlacesWithoutDelay) {
  int better = 0;
  for (int seed = 0; seed < 2'000; ++seed) {
    StreamProblem problem = makeRandom(seed, 1 + seed % 40);
    StreamOrder found = schedule(problem), placed = placeMessages(problem, found);
    EXPECT_LE(finishOf(problem, placed), finishOf(problem, found) + 1e-9) << seed;
    StreamTimes before = runInOrder(problem, found), after = runInOrder(problem, placed);
    std::vector<bool> isNeeded(problem.tasks.size());
    for (const Task &task : problem.tasks)
      for (int needed : task.after)
        isNeeded[needed] = true;
    double sum = 0;
    for (size_t i = 0; i < problem.tasks.size(); ++i) {
      bool fetches = problem.tasks[i].after.empty();
      if (isNeeded[i] == fetches && problem.tasks[i].stream != computeStream &&
          problem.tasks[i].seconds > 0)
        sum += (after.begin[i] - before.begin[i]) * (fetches ? 1 : -1);
    }
    EXPECT_GE(sum, 0) << seed;
    better += sum > 0;
  }
  EXPECT_GT(better, 300);
}

TEST(Lanes, IsNeverLaterThanTheGivenOrder) {
  for (int seed = 0; seed < 200; ++seed) {
    StreamProblem problem = makeRandom(seed, 100);
    EXPECT_LE(finishOf(problem, schedule(problem)), finishOf(problem, givenOrder(problem)));
  }
}
