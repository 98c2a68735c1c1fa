// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which calls of a batch share an MPI operation.

#include "runtime/collective/mpi/Operation.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;
using Operations = std::vector<std::vector<size_t>>;

CollectiveCall callOf(abi::CollectiveKind kind, int64_t elements, bool fused) {
  CollectiveCall call;
  call.kind = kind;
  call.shape = {elements};
  call.fused = fused;
  return call;
}

/// Returns the operations of four ranks on two processes.
Operations operationsOf(const std::vector<CollectiveCall> &batch) {
  return mpi::chooseOperations(mpi::Members({0, 1, 2, 3}, {4, 2}, 0), batch);
}

TEST(Packing, MessagesAreKeptApart) {
  EXPECT_EQ(operationsOf({callOf(abi::ALL_REDUCE, 3, false), callOf(abi::ALL_REDUCE, 3, false),
                          callOf(abi::ALL_REDUCE, 5, true), callOf(abi::ALL_REDUCE, 1, true),
                          callOf(abi::ALL_GATHER, 2, false), callOf(abi::ALL_GATHER, 2, true)}),
            (Operations{{0}, {1, 2, 3}, {4, 5}}));
  EXPECT_EQ(operationsOf({}), Operations());
}

// Small calls are packed across a large one. A reduce-scatter is always copied.
TEST(Packing, LargeCallsGoAlone) {
  for (abi::CollectiveKind kind : {abi::ALL_REDUCE, abi::ALL_GATHER})
    EXPECT_EQ(operationsOf({callOf(kind, 3, false), callOf(kind, 100'000, true),
                            callOf(kind, 5, true), callOf(kind, 100'000, true)}),
              (Operations{{1}, {3}, {0, 2}}));
  EXPECT_EQ(operationsOf(
                {callOf(abi::REDUCE_SCATTER, 4, false), callOf(abi::REDUCE_SCATTER, 20'000, true)}),
            (Operations{{0, 1}}));
}

// The limit applies to the bytes that a process sends for its two ranks or receives for all four.
// 64 KiB are 2 · 8192 elements of an all-reduce, or 4 · 4096 of an all-gather.
TEST(Packing, LargeIsWhatAProcessMovesAtOnce) {
  for (auto [kind, most] : {std::pair(abi::ALL_REDUCE, 8192), {abi::ALL_GATHER, 4096}}) {
    EXPECT_EQ(operationsOf({callOf(kind, most, false), callOf(kind, most, true)}),
              (Operations{{0, 1}}));
    EXPECT_EQ(operationsOf({callOf(kind, most + 1, false), callOf(kind, most + 1, true)}),
              (Operations{{0}, {1}}));
  }
}

// Eight calls of 64 KiB fill an operation, and so does one call of the total size.
TEST(Packing, OperationsEndWhenTheyAreLarge) {
  std::vector<CollectiveCall> batch;
  for (int c = 0; c < 17; ++c)
    batch.push_back(callOf(abi::ALL_REDUCE, 8192, c > 0));
  EXPECT_EQ(operationsOf(batch),
            (Operations{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}, {16}}));
  auto scatter = [](int64_t elements, bool fused) {
    return callOf(abi::REDUCE_SCATTER, elements, fused);
  };
  EXPECT_EQ(
      operationsOf({scatter(4, false), scatter(100'000, true), scatter(4, true), scatter(8, true)}),
      (Operations{{0}, {1}, {2, 3}}));
}

} // namespace
} // namespace pcc::test
