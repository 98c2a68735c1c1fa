// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs every ordered pair of shardings of tensors of one to three dimensions on all ranks, and
// compares. `PCC_TEST_FULL` runs all pairs, otherwise a seeded sample is run.
#include "test/oracle/sharding/Partitioned.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::test {
namespace {

/// Returns a function that only changes the sharding of its argument.
std::string makeReshard(int64_t index, ArrayRef<int64_t> shape, const Sharding &from,
                        const Sharding &to) {
  std::string type = typeText(shape);
  return "func.func @pair_" + std::to_string(index) + "(%a: " + type + " " + markText(from) +
         ") -> (" + type + " " + markText(to) + ") {\n  return %a : " + type + "\n}\n";
}

/// Runs functions in modules of moderate size.
class Batch {
public:
  explicit Batch(const Mesh &mesh) : mesh(mesh) {}

  void add(const std::string &function) {
    functions += function;
    if (++count == maxFunctions)
      run();
  }

  void run() {
    if (count == 0)
      return;
    interpret::Report report = comparePartitioned(functions, mesh);
    if (!report.passed()) {
      std::string text;
      raw_string_ostream os(text);
      report.print(os);
      ADD_FAILURE() << mesh.str() << "\n" << text << functions;
    }
    functions.clear();
    count = 0;
  }

private:
  static constexpr int64_t maxFunctions = 256;
  const Mesh &mesh;
  std::string functions;
  int64_t count = 0;
};

TEST(Reshards, EveryPairKeepsTheValue) {
  constexpr uint64_t seed = 1;
  constexpr uint64_t oneOf = 400; // size of a sample: one of 400
  bool isFull = std::getenv("PCC_TEST_FULL");
  std::mt19937_64 random(seed);
  int64_t count = 0, all = 0;
  for (const Mesh &mesh : {Mesh({{"x", 2}, {"y", 2}}), Mesh({{"x", 2}, {"y", 4}}),
                           Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), Mesh({{"x", 2}, {"y", 3}})})
    for (int64_t rank = 1; rank <= 3; ++rank) {
      Batch batch(mesh);
      SmallVector<int64_t> shape(rank, mesh.getNumRanks());
      shape.back() *= 2; // makes dimensions differ
      std::vector<Sharding> shardings = listShardings(shape, mesh);
      for (const Sharding &from : shardings)
        for (const Sharding &to : shardings)
          if (++all; isFull || random() % oneOf == 0)
            batch.add(makeReshard(count++, shape, from, to));
      batch.run();
    }
  EXPECT_GT(count, 0);
  outs() << count << " of " << all << " pairs of shardings, seed " << seed << "\n";
}

} // namespace
} // namespace pcc::test
