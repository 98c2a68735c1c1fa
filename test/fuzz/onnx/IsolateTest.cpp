// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Isolate.h"
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pcc::fuzz {

TEST(Isolate, ResultComesBackWhole) {
  std::string text(100'000, 'x');
  Outcome outcome = runIsolated([&] { return text; }, 10);
  EXPECT_EQ(outcome.text, text);
  EXPECT_EQ(outcome.fault, "");
}

TEST(Isolate, CrashIsAFault) {
  Outcome outcome = runIsolated(
      []() -> std::string {
        raise(SIGSEGV);
        return "";
      },
      10);
  EXPECT_EQ(outcome.fault, "signal 11");
}

TEST(Isolate, HangIsAFault) {
  Outcome outcome = runIsolated(
      []() -> std::string {
        for (;;)
          pause();
      },
      1);
  EXPECT_EQ(outcome.fault, "time limit of 1 s");
}

TEST(Isolate, ExitIsAFault) {
  Outcome outcome = runIsolated([]() -> std::string { _exit(3); }, 10);
  EXPECT_EQ(outcome.fault, "exit code 3");
}

TEST(Isolate, SharesComeBackInOrder) {
  std::vector<Outcome> outcomes =
      runTogether(3, [](unsigned number) { return std::to_string(number); });
  ASSERT_EQ(outcomes.size(), 3u);
  for (unsigned number = 0; number < 3; ++number)
    EXPECT_EQ(outcomes[number].text, std::to_string(number));
}

} // namespace pcc::fuzz
