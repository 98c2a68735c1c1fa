// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares kernels with the interpreter: single ops in all types and odd sizes, and random fused
// graphs. Kernels have the loops of the host, or the loops of GPUs, run thread by thread.
// `PCC_TEST_FULL` multiplies the number of random graphs by 20.
#include "test/oracle/kernels/Cases.h"
#include "test/oracle/kernels/KernelCheck.h"
#include "test/oracle/kernels/OpCases.h"
#include "test/oracle/kernels/RandomGraph.h"
#include "test/oracle/kernels/SizeCases.h"

#include "dialects/task/Task.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir;

namespace pcc::test {

class KernelOracle : public testing::TestWithParam<Loops> {
protected:
  void check(const std::vector<std::string> &functions, uint64_t seed) {
    kernels.run(functions, seed, std::string(), [&](ModuleOp module) { listProducts(module); });
  }
  void listProducts(ModuleOp module);

  KernelCheck kernels{GetParam()};
  std::set<std::string> productParts; ///< fused parts of matmuls, with the element type
};

void KernelOracle::listProducts(ModuleOp module) {
  module.walk([&](task::MatmulOp op) {
    std::string type;
    llvm::raw_string_ostream(type) << cast<ShapedType>(op.getC().getType()).getElementType();
    auto addIf = [&](bool has, StringRef part) {
      if (has)
        productParts.insert((part + " " + type).str());
    };
    addIf(op.getBias() != nullptr, "bias");
    addIf(op.getPreActivation() != nullptr, "pre_activation");
    addIf(op.getSumOfA() != nullptr, "sum_of_a");
    addIf(op.getSumOfB() != nullptr, "sum_of_b");
    addIf(true, task::stringifyActivation(op.getActivation()));
  });
}

TEST_P(KernelOracle, EveryOpInEveryType) {
  std::vector<std::string> functions = opCases("op");
  printf("%zu of %zu single ops\n", functions.size(), functions.size());
  check(functions, 1);
}

TEST_P(KernelOracle, ProductsThatDoMore) {
  check(productCases("product"), 1);
  if (GetParam() == Loops::Host)
    return; // its matmuls have fewer fused parts
  for (const std::string &type : multiplied)
    for (const char *part :
         {"bias", "pre_activation", "sum_of_a", "sum_of_b", "relu", "gelu", "gelu_gradient"})
      EXPECT_TRUE(productParts.contains(part + (" " + type))) << part << " of " << type;
}

TEST_P(KernelOracle, SizesAtWhichLoopsChange) {
  std::vector<std::string> functions = sizeCases("size");
  printf("%zu of %zu sizes\n", functions.size(), functions.size());
  check(functions, 1);
}

TEST_P(KernelOracle, RandomFusedGraphs) {
  int full = 2000, count = getenv("PCC_TEST_FULL") ? full : 100;
  printf("%d of %d random graphs, seeds from 1\n", count, full);
  for (int first = 1; first <= count; first += 50) {
    std::vector<std::string> functions;
    for (int seed = first; seed < first + 50; ++seed)
      functions.push_back(randomFunction("seed" + std::to_string(seed), seed));
    check(functions, first);
    if (HasFatalFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, KernelOracle, testing::Values(Loops::Host, Loops::Gpu),
                         [](const auto &info) {
                           return info.param == Loops::Host ? "Host" : "Gpu";
                         });

} // namespace pcc::test
