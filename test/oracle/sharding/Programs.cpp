// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs random programs with random strategies on N ranks, and compares with one device.
// `PCC_TEST_FULL` runs 2,000 programs, otherwise a sample is run. `PCC_TEST_PROGRAMS=N` and
// `PCC_TEST_SEED=S` run N programs from seed S on.
#include "test/oracle/sharding/RandomProgram.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace pcc::test {

static int64_t readNumber(const char *variable, int64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoll(text) : otherwise;
}

TEST(Programs, RandomStrategiesEqualOneDevice) {
  constexpr int64_t full = 2000, sample = 60;
  int64_t count = readNumber("PCC_TEST_PROGRAMS", std::getenv("PCC_TEST_FULL") ? full : sample);
  int64_t firstSeed = readNumber("PCC_TEST_SEED", 1);
  int64_t silent = 0; // programs that say nothing
  for (int64_t seed = firstSeed; seed < firstSeed + count; ++seed) {
    RandomProgram program = makeRandomProgram(seed);
    std::optional<std::string> difference = findDifference(program);
    silent += !difference;
    if (!difference || difference->empty())
      continue;
    RandomProgram small = shrink(program);
    ADD_FAILURE() << "seed " << seed << ": " << *difference << "\nmade smaller:\n"
                  << small.str() << findDifference(small).value_or("");
  }
  EXPECT_LE(silent, 1 + count / 50);
  llvm::outs() << count << " of " << full << " random programs, seeds from " << firstSeed << ", "
               << silent << " of them without gradients or with NaNs\n";
}

} // namespace pcc::test
