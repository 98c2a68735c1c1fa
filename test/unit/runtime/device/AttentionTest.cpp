// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares attention instructions on the host with a computation in doubles that stores all scores.

#include "test/unit/runtime/device/AttentionCases.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

/// Runs on the host with `threads` threads.
RecordRunner onThreads(int threads) {
  return [threads](ProgramBuilder &builder, const abi::Instruction &instruction,
                   const BufferValues &values, uint32_t out) {
    return runInstruction(builder, instruction, values, out, threads, {});
  };
}

class Attention : public testing::TestWithParam<abi::ElementType> {};

// Half types are rounded once, when results are stored.
TEST_P(Attention, AgreesWithAllScoresInMemory) {
  std::mt19937 random(1);
  for (const AttentionForm &form : attentionForms()) {
    SCOPED_TRACE(&form - attentionForms().data());
    AttentionTensors tensors = makeAttention(random, form, GetParam());
    checkAttention(form, tensors, GetParam(), /*roundings=*/1, onThreads(1));
  }
}

TEST_P(Attention, BitsDoNotDependOnThreads) {
  std::mt19937 random(2);
  const AttentionForm &form = attentionForms()[1];
  AttentionTensors tensors = makeAttention(random, form, GetParam());
  using Out = AttentionOut;
  for (Out out : {Out::Result, Out::LogSum, Out::Query, Out::Key, Out::Value}) {
    std::vector<float> alone = runAttention(form, tensors, out, GetParam(), onThreads(1));
    for (int threads : {2, 3})
      EXPECT_EQ(runAttention(form, tensors, out, GetParam(), onThreads(threads)), alone);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Attention, testing::Values(abi::F32, abi::F16, abi::BF16));

} // namespace
} // namespace pcc::test
