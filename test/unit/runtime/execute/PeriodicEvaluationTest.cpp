// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/Evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pcc::test {
namespace {

using namespace runtime;

TEST(BestEvaluation, CountsEvaluationsWithoutALowerLoss) {
  BestEvaluation best(/*patience=*/2, {});
  EXPECT_FALSE(best.isExhausted());
  EXPECT_TRUE(best.add(10, 2.0));
  EXPECT_FALSE(best.add(20, 2.0));
  EXPECT_TRUE(best.add(30, 1.5));
  EXPECT_FALSE(best.add(40, 1.6));
  EXPECT_FALSE(best.isExhausted());
  EXPECT_FALSE(best.add(50, 1.7));
  EXPECT_TRUE(best.isExhausted());
  EXPECT_EQ(best.state().best_step(), 30);
  EXPECT_EQ(best.state().best_loss(), 1.5);
  // A run that continues goes on counting.
  BestEvaluation next(/*patience=*/3, best.state());
  EXPECT_FALSE(next.isExhausted());
  EXPECT_FALSE(next.add(60, 1.5));
  EXPECT_TRUE(next.isExhausted());
}

TEST(BestEvaluation, ALossThatIsNoNumberIsNeverTheBest) {
  BestEvaluation best(/*patience=*/3, {});
  EXPECT_FALSE(best.add(1, std::nan("")));
  EXPECT_TRUE(best.add(2, std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(best.add(3, 1e30));
  EXPECT_FALSE(best.add(4, std::nan("")));
  EXPECT_EQ(best.state().since_best(), 1);
}

TEST(BestEvaluation, WithoutPatienceNothingEnds) {
  BestEvaluation best(/*patience=*/0, {});
  for (int64_t step = 1; step < 100; ++step)
    best.add(step, double(step));
  EXPECT_FALSE(best.isExhausted());
}

TEST(PeriodicEvaluation, IsDueAfterEachInterval) {
  auto due = [](const std::string &every, const StepEnd &end) {
    return PeriodicEvaluation(nullptr, *parseEvaluationInterval(every), 0, {}).isDue(end);
  };
  EXPECT_TRUE(due("5", {.steps = 10}));
  EXPECT_FALSE(due("5steps", {.steps = 11}));
  EXPECT_TRUE(due("5steps", {.steps = 11, .isLast = true}));
  EXPECT_TRUE(due("2epochs", {.steps = 11, .epochs = 4, .endsEpoch = true}));
  EXPECT_FALSE(due("2epochs", {.steps = 11, .epochs = 3, .endsEpoch = true}));
  EXPECT_FALSE(due("2epochs", {.steps = 11, .epochs = 4}));
  EXPECT_EQ(parseEvaluationInterval("3min").status().message(),
            "--eval-every: expected a number from 1 to 100000000 with the unit steps (default) or "
            "epochs, got '3min'");
}

} // namespace
} // namespace pcc::test
