// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check-cases FILE…: compares this compiler with MindSpore's passes, question by
// question. Compared are the treatment of operators with strategies, costs, and the strategies that
// searches list and find.
#include "test/conformance/strategies/Costs.h"
#include "test/conformance/strategies/Searches.h"
#include "test/conformance/training/Driver.h"

using namespace pcc::conformance;

static constexpr Kind kinds[] = {
    {"one", judgeStrategies},        {"pair", judgeStrategies}, {"cost", judgeCosts},
    {"dp", judgeDynamicProgramming}, {"rec", judgeRecursion},   {"prop", judgePropagation},
};

int main(int argc, char **argv) {
  return judgeCases(argc, argv, "compares strategies with MindSpore's\n", kinds);
}
