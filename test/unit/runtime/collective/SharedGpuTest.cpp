// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that share the emulated GPU, tested by the suite of all communicators. The suite reads its
// data on the host, so the data go to the GPU and back around each batch.

#include "runtime/collective/gpu/SharedGpu.h"

#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"
#include "test/unit/runtime/collective/CommunicatorConformance.h"
#include "test/unit/runtime/collective/DeviceBuffers.h"

#include <cmath>

namespace pcc::test {
namespace {

using namespace runtime;

std::vector<std::unique_ptr<Communicator>> makeShared(int ranks) {
  static const abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  auto devices = makeCudaDevices(executable, 0, ranks);
  EXPECT_TRUE(bool(devices)) << devices.status().describe();
  SharedGpu shared(ranks);
  std::vector<std::unique_ptr<Communicator>> communicators;
  for (int rank = 0; rank < ranks; ++rank) {
    std::shared_ptr<Device> device = std::move((*devices)[size_t(rank)]);
    auto joined = shared.join(rank, cuda::partsOf(*device));
    EXPECT_TRUE(bool(joined)) << joined.status().describe();
    communicators.push_back(std::make_unique<OnDevice>(std::move(*joined), std::move(device)));
  }
  return communicators;
}

// NaN propagates from any member, as on the host.
TEST(SharedGpu, ANaNStaysInMaxAndMin) {
  constexpr int ranks = 3;
  for (abi::ReduceOp op : {abi::MAX, abi::MIN})
    onEveryRank(makeShared(ranks), [&](Communicator &rank) {
      std::vector<float> data = {1, 2, 3, float(rank.position())};
      data[size_t(rank.position())] = std::nanf("");
      CollectiveCall call{.kind = abi::ALL_REDUCE, .reduction = op, .shape = {4}};
      call.source = call.destination = data.data();
      EXPECT_TRUE(rank.run({&call, 1}).ok());
      for (int n = 0; n < ranks; ++n)
        EXPECT_TRUE(std::isnan(data[size_t(n)])) << n;
      EXPECT_EQ(data[ranks], op == abi::MAX ? ranks - 1 : 0);
    });
}

} // namespace

INSTANTIATE_TEST_SUITE_P(SharedGpu, CommunicatorConformance,
                         testing::Values(Conformance{"emulator", makeShared}),
                         [](const auto &info) { return info.param.name; });

} // namespace pcc::test
