// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check-cases FILE…: operators with strategies as the reference system's passes treated them, and
// the strategies that its searches listed, question by question beside what this compiler makes of
// the same.
#include "test/conformance/strategies/Candidates.h"
#include "test/conformance/training/Driver.h"

using namespace pcc::conformance;

static constexpr Kind kinds[] = {
    {"one", judgeStrategies},
    {"pair", judgeStrategies},
    {"dp", judgeCandidates},
    {"prop", judgeCandidates},
};

int main(int argc, char **argv) {
  return judgeCases(argc, argv, "compares strategies with the reference system's\n", kinds);
}
