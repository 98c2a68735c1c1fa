// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check-cases FILE…: operators with strategies as the reference system's passes treated them, what
// they cost there, and what its searches listed and found, question by question beside what this
// compiler makes of the same.
#include "test/conformance/strategies/Prices.h"
#include "test/conformance/strategies/Searches.h"
#include "test/conformance/training/Driver.h"

using namespace pcc::conformance;

static constexpr Kind kinds[] = {
    {"one", judgeStrategies},        {"pair", judgeStrategies}, {"cost", judgePrices},
    {"dp", judgeDynamicProgramming}, {"rec", judgeRecursion},   {"prop", judgePropagation},
};

int main(int argc, char **argv) {
  return judgeCases(argc, argv, "compares strategies with the reference system's\n", kinds);
}
