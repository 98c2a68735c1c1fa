// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with one random change. The check must refuse exactly the programs that hang, do not
// match, or compute something else in some order. Runs on hashes (Interpreter.h) show whether a
// change does harm. Tests a sample by default, and all 10,000 changes with PCC_TEST_FULL.

#include "runtime/abi/files/Executable.h"
#include "runtime/check/Check.h"
#include "runtime/check/dataflow/Dataflow.h"
#include "test/unit/check/Interpreter.h"
#include "test/unit/check/Mutations.h"
#include "test/unit/runtime/Pipelines.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

namespace pcc::test {
namespace {

abi::Status verdictOn(const abi::Executable &executable) {
  abi::Status status = abi::validate(executable);
  return status.ok() ? check::prove(executable) : status;
}

/// Describes an outcome of some order of a program that differs from the original's. Empty if
/// `runs` orders on each kind of device all gave the expected values. The first 20 orders delay one
/// rank each, with blocking and with buffered messages (Interpreter.h).
std::string harmOf(const abi::Executable &executable, const std::vector<uint64_t> &expected,
                   int runs) {
  if (!abi::validate(executable).ok())
    return "it is not valid";
  if (!launchesFit(executable))
    return "collectives are launched in a circle";
  for (int seed = 0; seed < runs; ++seed)
    for (DeviceKind kind : {DeviceKind::Thread, DeviceKind::Streams}) {
      Outcome outcome = interpret(executable, kind, uint64_t(seed));
      if (!outcome.failure.empty())
        return outcome.failure;
      if (outcome.values != expected)
        return "another result";
    }
  return "";
}

std::vector<CompileOptions> shapes() {
  CompileOptions small{.dataRanks = 1, .layers = 2, .width = 2, .batch = 8};
  std::vector<CompileOptions> list(10, small);
  list[1].shares = true;
  list[2].stages = list[2].layers = 3;
  list[3].dataRanks = list[3].microBatches = 2;
  list[4].early = true;
  list[5].stages = list[5].layers = 3;
  list[5].early = true;
  list[6].lastRuns = true;
  list[7].dataRanks = 2;
  list[7].early = list[7].lastRuns = true;
  list[8].dataRanks = 2;
  list[8].layers = 4;
  list[8].fused = true;
  list[9].layers = 6;
  list[9].microBatches = 2;
  list[9].fused = list[9].shares = true;
  return list;
}

/// Makes a random change in one of the programs, given a random generator.
using Change = std::function<std::string(abi::Executable &, std::mt19937_64 &)>;

class Mutation : public testing::Test {
protected:
  void SetUp() override {
    for (const CompileOptions &shape : shapes()) {
      programs.push_back(makePipeline(shape));
      check::annotateDataflow(programs.back());
      ASSERT_TRUE(verdictOn(programs.back()).ok()) << verdictOn(programs.back()).message();
      expected.push_back(interpret(programs.back(), DeviceKind::Thread, 0).values);
      ASSERT_EQ(harmOf(programs.back(), expected.back(), 24), "");
    }
  }

  /// Expects that exactly the harmful changes are refused.
  void expectVerdicts(int sample, int all, const Change &change) {
    int count = std::getenv("PCC_TEST_FULL") ? all : sample, refused = 0;
    for (int i = 0; i < count; ++i) {
      std::mt19937_64 random(uint64_t(i) + 1);
      size_t program = random() % programs.size();
      abi::Executable changed = programs[program];
      std::string what = change(changed, random);
      abi::Status verdict = verdictOn(changed);
      refused += !verdict.ok();
      // The order that shows a race may be rare.
      std::string harm = harmOf(changed, expected[program], verdict.ok() ? 24 : 300);
      EXPECT_EQ(verdict.ok(), harm.empty())
          << "mutation " << i << " of program " << program << ": " << what << ": "
          << (verdict.ok() ? "accepted, but " + harm : "refused: " + verdict.message());
    }
    std::printf("%d of %d mutations, %d refused\n", count, all, refused);
  }

  std::vector<abi::Executable> programs;
  std::vector<std::vector<uint64_t>> expected;
};

TEST_F(Mutation, HarmfulOnesAreRefused) { expectVerdicts(300, 10000, mutate); }

TEST_F(Mutation, HarmfulChangesOfFusedMessagesAreRefused) {
  expectVerdicts(60, 1000, [](abi::Executable &executable, std::mt19937_64 &random) {
    return changeFused(executable, random) + ", " + mutate(executable, random);
  });
}

} // namespace
} // namespace pcc::test
