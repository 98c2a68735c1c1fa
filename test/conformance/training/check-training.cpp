// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check-training FILE…: compares, question by question, training steps compiled by pcc with those
// of MindSpore's passes.
#include "test/conformance/training/Driver.h"

using namespace pcc::conformance;

static constexpr Kind kinds[] = {
    {"fusion", judgeFusion},   {"interleave", judgeInterleave}, {"manual", judgeManual},
    {"mode", judgeStep},       {"optimizer", judgeStep},        {"pipeline", judgePipeline},
    {"segment", judgeSegment},
};

int main(int argc, char **argv) {
  return judgeCases(argc, argv, "compares training steps with MindSpore's\n", kinds);
}
