// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains random models on the CPU and in the interpreter. No correct result is refused, and
// tolerances are near the differences of correct programs. `PCC_TEST_FULL` runs 1,000 models,
// otherwise a sample is run. `PCC_TEST_PROGRAMS=N` and `PCC_TEST_SEED=S` run N models from seed S
// on.
#include "test/oracle/sharding/RandomProgram.h"
#include "test/oracle/training/TrainedModel.h"
#include "llvm/Support/Format.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

namespace pcc::test {
namespace {

int64_t readNumber(const char *variable, int64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoll(text) : otherwise;
}

/// Makes a random model whose inputs have the rows of one batch: the second integer input is
/// replaced by a reshape of the first one.
std::string makeModel(uint64_t seed) {
  RandomProgram program = makeRandomProgram(seed);
  llvm::SmallVector<size_t> integers;
  for (auto [index, value] : llvm::enumerate(program.values))
    if (value.op.empty() && llvm::StringRef(value.type).ends_with("i64>"))
      integers.push_back(index);
  ModelValue &second = program.values[integers[1]];
  second.op = "reshape @0 : " + program.values[integers[0]].type + " to " + second.type;
  second.operands = {integers[0]};
  return program.str();
}

/// The largest differences of results, as fractions of their tolerances.
class Shares {
public:
  void add(const interpret::Case &result) {
    llvm::StringRef name = result.name;
    llvm::StringRef kind = name.starts_with("step ") ? "loss" : name.split(' ').first;
    std::vector<double> &shares = byKind[kind.str()];
    if (result.maxError > 0)
      shares.push_back(result.maxError / result.tolerance);
    ++results;
  }

  /// Prints lines like `gradient 120: 50 % 0.012, 90 % 0.05, 99 % 0.2, all 0.4`.
  void print(llvm::raw_ostream &os) {
    os << "differences in parts of their tolerances, of " << results << " results:\n";
    for (auto &[kind, shares] : byKind) {
      llvm::sort(shares);
      os << "  " << kind << ", " << shares.size() << " that differ:";
      for (double part : {0.1, 0.5, 0.9, 0.99, 1.0})
        os << llvm::format(" %3.0f %% %.2g", 100 * part, quantile(shares, part));
      os << "\n";
    }
  }

  /// Returns the median over all results that differ.
  double median() const {
    std::vector<double> all;
    for (const auto &[kind, shares] : byKind)
      llvm::append_range(all, shares);
    llvm::sort(all);
    return quantile(all, 0.5);
  }

private:
  static double quantile(const std::vector<double> &sorted, double part) {
    return sorted.empty() ? 0 : sorted[size_t(part * double(sorted.size() - 1))];
  }

  std::map<std::string, std::vector<double>> byKind;
  int64_t results = 0;
};

/// Returns whether a random model says nothing: no parameter influences its loss, or a result on
/// one device is a NaN.
bool isSilent(const interpret::Case &result) {
  llvm::StringRef reason = result.reason;
  return result.status == interpret::CaseStatus::Failed &&
         (reason.contains("influences the loss") || reason.contains("so it says nothing"));
}

} // namespace

TEST(Tolerances, HoldAndAreNear) {
  constexpr int64_t full = 1000, sample = 40;
  static const char *const optimizers[] = {"sgd,lr=0.1", "momentum,lr=0.1", "adam,lr=0.01"};
  int64_t count = readNumber("PCC_TEST_PROGRAMS", std::getenv("PCC_TEST_FULL") ? full : sample);
  int64_t firstSeed = readNumber("PCC_TEST_SEED", 1);
  Shares shares;
  int64_t silent = 0; // models that say nothing
  for (int64_t seed = firstSeed; seed < firstSeed + count; ++seed) {
    std::string model = makeModel(seed);
    interpret::Report report =
        compareTraining(model, optimizers[seed % std::size(optimizers)], seed);
    std::string text;
    llvm::raw_string_ostream os(text);
    report.print(os);
    silent += llvm::any_of(report.cases, isSilent);
    llvm::erase_if(report.cases, isSilent);
    EXPECT_TRUE(report.passed()) << "seed " << seed << ": " << text << model;
    for (const interpret::Case &result : report.cases)
      if (result.status == interpret::CaseStatus::Passed)
        shares.add(result);
  }
  shares.print(llvm::outs());
  EXPECT_GT(shares.median(), 5e-4) << "tolerances are far wider than what right programs differ by";
  EXPECT_LE(silent, 1 + count / 50);
  llvm::outs() << count << " of " << full << " random models, seeds from " << firstSeed << ", "
               << silent << " of them without gradients or with NaNs\n";
}

} // namespace pcc::test
