// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random models in random pipelines: every program is proved, and its results equal one device's.
// `PCC_TEST_FULL` runs 5,000 programs, otherwise a sample is run. `PCC_TEST_PROGRAMS=N` and
// `PCC_TEST_SEED=S` run N programs from seed S on.
#include "test/oracle/pipelines/RandomPipeline.h"

#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

namespace pcc::test {

static int64_t readNumber(const char *variable, int64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoll(text) : otherwise;
}

TEST(Pipelines, RandomBranchesEqualOneDevice) {
  constexpr int64_t full = 5000, sample = 60, cpuShare = 8;
  llvm::sys::PrintStackTraceOnErrorSignal("");
  int64_t count = readNumber("PCC_TEST_PROGRAMS", std::getenv("PCC_TEST_FULL") ? full : sample);
  int64_t firstSeed = readNumber("PCC_TEST_SEED", 1), onCpu = 0, failed = 0;
  std::map<std::string, int64_t> bySchedule;
  for (int64_t seed = firstSeed; seed < firstSeed + count; ++seed) {
    llvm::PrettyStackTraceFormat trace("checking the pipeline of seed %lld", (long long)seed);
    RandomPipeline program = makeRandomPipeline(seed);
    bool runsOnCpu = seed % cpuShare == 0;
    onCpu += runsOnCpu;
    ++bySchedule[program.setup.schedule];
    PipelineFailure failure = checkPipeline(program, runsOnCpu);
    if (!failure)
      continue;
    ++failed;
    RandomPipeline small = shrink(program, failure);
    ADD_FAILURE() << "seed " << seed << ", " << failure.step << ": " << failure.text
                  << "\nmade smaller, " << small.setup.flags() << "\n"
                  << small.text();
  }
  llvm::outs() << count << " of " << full << " random pipelines, seeds from " << firstSeed << ", "
               << onCpu << " run on the CPU, " << failed << " failed\n";
  for (const auto &[schedule, number] : bySchedule)
    llvm::outs() << "  " << schedule << ": " << number << "\n";
}

} // namespace pcc::test
