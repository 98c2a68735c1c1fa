// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates of the emulated NCCL: 10 µs, plus 1 µs for each 1,000 bytes of a member.

#include "runtime/collective/nccl/Estimates.h"
#include "test/emulator/NcclLibrary.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

namespace pcc::test {
namespace {

using namespace runtime;

CollectiveCall callOf(abi::CollectiveKind kind, int64_t elements) {
  CollectiveCall call{.kind = kind, .reduction = abi::SUM, .type = abi::F32};
  call.shape = {elements};
  return call;
}

class NcclEstimates : public testing::Test {
protected:
  void SetUp() override { setenv("PCC_EMULATED_GPUS", "3", 1); }
  static constexpr std::array<int, 3> gpus = {2, 0, 1};
};

TEST_F(NcclEstimates, OfItsOwnCollectives) {
  std::vector<CollectiveCall> calls = {
      callOf(abi::ALL_REDUCE, 3000), callOf(abi::ALL_GATHER, 1500), callOf(abi::ALL_TO_ALL, 3000),
      callOf(abi::REDUCE_SCATTER, 3000), callOf(abi::BROADCAST, 500)};
  auto seconds = nccl::estimate(gpus, calls);
  ASSERT_TRUE(bool(seconds)) << seconds.status().describe();
  ASSERT_EQ(seconds->size(), calls.size());
  EXPECT_NEAR((*seconds)[0].value_or(0), 22e-6, 1e-9);
  EXPECT_NEAR((*seconds)[1].value_or(0), 16e-6, 1e-9);
  EXPECT_FALSE((*seconds)[2]) << "it consists of sends and receives";
  EXPECT_NEAR((*seconds)[3].value_or(0), 14e-6, 1e-9);
  EXPECT_NEAR((*seconds)[4].value_or(0), 12e-6, 1e-9);
}

// An estimate makes no calls and leaves no communicator open.
TEST_F(NcclEstimates, NothingRuns) {
  int before = openCommunicators();
  std::vector<std::string> calls = recordedCalls(3, 0);
  ASSERT_TRUE(bool(nccl::estimate(gpus, std::array{callOf(abi::ALL_REDUCE, 8)})));
  EXPECT_EQ(recordedCalls(3, 0), calls);
  EXPECT_EQ(openCommunicators(), before);
}

TEST_F(NcclEstimates, ErrorsAreToldByAll) {
  auto absent = nccl::estimate(std::array{0, 7}, std::array{callOf(abi::ALL_REDUCE, 8)});
  EXPECT_FALSE(bool(absent));
  auto twice = nccl::estimate(std::array{1, 1}, std::array{callOf(abi::ALL_REDUCE, 8)});
  EXPECT_EQ(twice.status().message(),
            "ncclCommInitRankConfig: invalid usage: ranks 0 and 1 have the same GPU");
}

} // namespace
} // namespace pcc::test
