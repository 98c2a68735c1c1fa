// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls of a batch go through MPI together.

#include "runtime/collective/mpi/Packing.h"

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

/// Of four ranks on two processes.
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

// Small ones find each other over a large one. A reduce-scatter is copied in any case.
TEST(Packing, LargeCallsGoAlone) {
  for (abi::CollectiveKind kind : {abi::ALL_REDUCE, abi::ALL_GATHER})
    EXPECT_EQ(operationsOf({callOf(kind, 3, false), callOf(kind, 100'000, true),
                            callOf(kind, 5, true), callOf(kind, 100'000, true)}),
              (Operations{{1}, {3}, {0, 2}}));
  EXPECT_EQ(operationsOf({callOf(abi::REDUCE_SCATTER, 4, false),
                          callOf(abi::REDUCE_SCATTER, 100'000, true)}),
            (Operations{{0, 1}}));
}

// A process sends two ranks' elements at once, of which MPI can count no more than 2^31 - 1.
TEST(Packing, NoMoreThanMpiCounts) {
  int64_t each = (int64_t(1) << 31) / 5;
  auto call = [&](bool fused) { return callOf(abi::REDUCE_SCATTER, each, fused); };
  EXPECT_EQ(operationsOf({call(false), call(true), call(true), call(true), call(true)}),
            (Operations{{0, 1}, {2, 3}, {4}}));
}

} // namespace
} // namespace pcc::test
