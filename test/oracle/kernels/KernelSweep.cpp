// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares every form of kernel over small sizes (SweepCases.h) with the interpreter. Kernels run
// on this machine's CPU, on other CPUs whose instructions this machine has, and with the loops of
// GPUs thread by thread. Each test takes a slice of all cases, in seeded order, each case in one of
// its types. A test runs a sample of its slice, 20 times as many kernels with `PCC_TEST_FULL`, or
// `PCC_TEST_PROGRAMS` of them. `PCC_TEST_SEED` draws another order. All 449,280 kernels take a day
// on a core; `GTEST_TOTAL_SHARDS` and `GTEST_SHARD_INDEX` divide them among processes.
#include "test/oracle/kernels/KernelCheck.h"
#include "test/oracle/kernels/SweepCases.h"

#include "passes/lower/host/HostTarget.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace pcc::test {

static uint64_t readSeed() {
  const char *text = getenv("PCC_TEST_SEED");
  return text ? std::stoull(text) : 1;
}

/// Returns whether this machine has all instructions of code for the CPU named `cpu`.
static bool hostRuns(llvm::StringRef cpu) {
  lower::HostTarget host = llvm::cantFail(lower::makeHostTarget());
  return llvm::all_of(
      llvm::cantFail(lower::makeHostTarget(cpu)).features,
      [&](const std::string &feature) { return llvm::is_contained(host.features, feature); });
}

/// Lists this machine's CPU, and named CPUs whose instructions it has.
static std::vector<std::string> listCpus() {
  std::vector<std::string> cpus = {""};
  for (const char *cpu : {"haswell", "skylake-avx512", "znver4"}) {
    if (hostRuns(cpu))
      cpus.push_back(cpu);
    else
      printf("skipped %s: this machine lacks some of its instructions\n", cpu);
  }
  return cpus;
}

static constexpr int64_t slices = 20;

/// Parameters: a target and the number of a slice.
class KernelSweep : public testing::TestWithParam<std::tuple<Loops, int64_t>> {
protected:
  Loops loops() const { return std::get<0>(GetParam()); }
  /// Lists the cases of this slice, in seeded order.
  std::vector<int64_t> listCases() const {
    std::vector<int64_t> all(countSweepCases()), own;
    std::iota(all.begin(), all.end(), 0);
    std::mt19937_64 random(seed);
    std::shuffle(all.begin(), all.end(), random);
    for (size_t n = std::get<1>(GetParam()); n < all.size(); n += slices)
      own.push_back(all[n]);
    return own;
  }

  /// Compiles and compares `numbers` in batches, case n in type `typeOf(n)`.
  void run(const std::vector<int64_t> &numbers, const std::function<int64_t(int64_t)> &typeOf) {
    constexpr size_t batch = 100;
    for (size_t first = 0; first < numbers.size() && !HasFatalFailure(); first += batch) {
      std::vector<std::string> functions;
      for (size_t n = first; n < std::min(first + batch, numbers.size()); ++n)
        functions.push_back(
            sweepCase("case" + std::to_string(numbers[n]) + "_", numbers[n], typeOf(numbers[n])));
      KernelCheck(loops()).run(functions, seed + first, cpus);
    }
  }

  const uint64_t seed = readSeed();
  const std::vector<std::string> cpus =
      loops() == Loops::Host ? listCpus() : std::vector<std::string>{""};
};

TEST_P(KernelSweep, SmallSizes) {
  std::vector<int64_t> numbers = listCases();
  size_t total = numbers.size(), sample = loops() == Loops::Host ? 10 : 20;
  size_t count = sample * (getenv("PCC_TEST_FULL") ? 20 : 1);
  if (const char *text = getenv("PCC_TEST_PROGRAMS"))
    count = std::stoull(text);
  numbers.resize(std::min(count, total));
  printf("%zu of %zu kernels, seed %llu\n", numbers.size(), total, (unsigned long long)seed);
  run(numbers, [&](int64_t number) { return int64_t(number + seed); });
}

INSTANTIATE_TEST_SUITE_P(Of, KernelSweep,
                         testing::Combine(testing::Values(Loops::Host, Loops::Gpu),
                                          testing::Range(int64_t(0), slices)),
                         [](const auto &info) {
                           const char *loops =
                               std::get<0>(info.param) == Loops::Host ? "Host" : "Gpu";
                           return loops + std::to_string(std::get<1>(info.param));
                         });

} // namespace pcc::test
