// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of kernel over small sizes (SweepCases.h) against the interpreter: on this machine's
// CPU, on other CPUs whose instructions it has, and with the loops of GPUs thread by thread. A
// seeded sample of all cases, each in one of its types; `PCC_TEST_FULL` multiplies its size by 40.
// `PCC_TEST_SEED` draws another sample.
#include "test/oracle/kernels/KernelCheck.h"
#include "test/oracle/kernels/SweepCases.h"

#include "passes/lower/HostTarget.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace pcc::test {

static uint64_t readSeed() {
  const char *text = getenv("PCC_TEST_SEED");
  return text ? std::stoull(text) : 1;
}

/// This machine's CPU, and named ones whose instructions it has.
static std::vector<std::string> listCpus() {
  std::vector<std::string> cpus = {""};
  for (const char *cpu : {"haswell", "skylake-avx512", "znver4"}) {
    if (lower::hostRuns(cpu))
      cpus.push_back(cpu);
    else
      printf("skipped %s: this machine lacks some of its instructions\n", cpu);
  }
  return cpus;
}

class KernelSweep : public testing::TestWithParam<Loops> {
protected:
  /// Compiles and compares `numbers` in batches, case n in type `typeOf(n)`.
  void run(const std::vector<int64_t> &numbers, const std::function<int64_t(int64_t)> &typeOf) {
    constexpr size_t batch = 100;
    for (size_t first = 0; first < numbers.size() && !HasFatalFailure(); first += batch) {
      std::vector<std::string> functions;
      for (size_t n = first; n < std::min(first + batch, numbers.size()); ++n)
        functions.push_back(
            sweepCase("case" + std::to_string(numbers[n]) + "_", numbers[n], typeOf(numbers[n])));
      KernelCheck(GetParam()).run(functions, seed + first, cpus);
    }
  }

  const uint64_t seed = readSeed();
  const std::vector<std::string> cpus =
      GetParam() == Loops::Host ? listCpus() : std::vector<std::string>{""};
};

TEST_P(KernelSweep, SmallSizes) {
  std::vector<int64_t> numbers(countSweepCases());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(numbers.begin(), numbers.end(), random);
  size_t total = numbers.size();
  size_t sample = GetParam() == Loops::Host ? 200 : 100;
  numbers.resize(getenv("PCC_TEST_FULL") ? 40 * sample : sample);
  printf("%zu of %zu kernels, seed %llu\n", numbers.size(), total, (unsigned long long)seed);
  run(numbers, [&](int64_t number) { return int64_t(number + seed); });
}

INSTANTIATE_TEST_SUITE_P(Of, KernelSweep, testing::Values(Loops::Host, Loops::Gpu),
                         [](const auto &info) {
                           return info.param == Loops::Host ? "Host" : "Gpu";
                         });

} // namespace pcc::test
